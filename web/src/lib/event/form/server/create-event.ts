/** Creates an event with its items, so that guests see it with all of them or not at all. */
import {
  type AddItemsData,
  addItems,
  type Client,
  type CreateEventData,
  createEvent,
  deleteEvent,
  isProblem,
  ProblemError,
  updateEvent,
} from '@potluck/client';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { m } from '#lib/messages/index.js';
import { isWhole } from './event-form.ts';
import type { FieldErrors } from './event-times.ts';

type NewItem = AddItemsData['body']['items'][number];

/** In one request to the API. */
const maxItems = 100;

/** Whether a repeated request would be refused again. A busy server may have done its work before the error. */
export const isFinal = (cause: unknown): cause is ProblemError =>
  cause instanceof ProblemError &&
  cause.status < 500 &&
  !isProblem(cause, 'too_many_requests', 'idempotency_key_in_use');

/**
 * Creates a draft, adds the items, and publishes it last. If a later step is refused, the draft is deleted, unless an
 * earlier request with the same key created it: that request may have published the event. After any other error, the
 * same key continues where this request ended.
 */
export async function createEventWithItems(
  client: Client,
  key: string,
  body: CreateEventData['body'],
  items: NewItem[],
  visibility: CreateEventData['body']['visibility'],
): Promise<string> {
  const { data: event, response } = await createEvent({
    client,
    body: { ...body, visibility: 'private' },
    headers: { 'Idempotency-Key': key },
  });
  const path = { id: event.id };
  try {
    if (items.length > 0)
      await addItems({ client, path, body: { items }, headers: { 'Idempotency-Key': `${key}-items` } });
    if (visibility !== 'private') await updateEvent({ client, path, body: { visibility } });
  } catch (cause) {
    // A draft that cannot be deleted stays visible to its organizer alone.
    if (isFinal(cause) && !response.headers.has('idempotent-replayed'))
      await deleteEvent({ client, path }).catch(() => {});
    throw cause;
  }
  return event.id;
}

/** The items of a form. Adds texts to `fields` for rows that cannot be sent. */
export function readItems({ items, modules }: EventValues, fields: FieldErrors): NewItem[] {
  if (items.length > maxItems) fields.items = m.organizer_error_items({ count: maxItems });
  return items.map(({ title, kind, quantity, emoji }, i): NewItem => {
    const quantityNeeded = Number(quantity);
    if (!isWhole(quantityNeeded, 1, 10_000)) fields[`items.${i}`] = m.organizer_error_quantity();
    if (!modules.includes(kind === 'wish' ? 'wishList' : 'bringList'))
      fields[`items.${i}`] = m.organizer_error_module();
    return { title, kind: kind === 'wish' ? 'wish' : 'bring', quantityNeeded, ...(emoji && { emoji }) };
  });
}
