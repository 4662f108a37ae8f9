/** What a visitor chose on the page of an event before the sign-in, and what is done after it. */
import { type Client, claimItem, isProblem, setRsvp } from '@potluck/client';

export type Intent = {
  eventId: string;
  rsvp: 'going' | 'interested';
  /** An item to claim; null for the RSVP alone. */
  itemId: string | null;
  quantity: number;
};

type Fields = { get(name: string): FormDataEntryValue | null };

/** Reads the fields of a form, or the query of an address; null if they have no intent. */
export function readIntent(fields: Fields): Intent | null {
  const eventId = fields.get('eventId');
  if (typeof eventId !== 'string' || eventId === '') return null;
  const itemId = fields.get('itemId');
  return {
    eventId,
    rsvp: fields.get('rsvp') === 'interested' ? 'interested' : 'going',
    itemId: typeof itemId === 'string' && itemId !== '' ? itemId : null,
    quantity: Number(fields.get('quantity') ?? 1),
  };
}

/** The fields that `readIntent` reads. */
export const toFields = ({ eventId, rsvp, itemId, quantity }: Intent): Record<string, string> => ({
  eventId,
  rsvp,
  ...(itemId !== null && { itemId, quantity: String(quantity) }),
});

/** The address of the sign-in that carries out an intent and leads to the page of the event. */
export const signInPath = (intent: Intent): string =>
  `/sign-in?${new URLSearchParams({ next: `/e/${intent.eventId}`, ...toFields(intent) })}`;

/** Sets the RSVP and claims the item. @throws ProblemError */
export async function carryOut(client: Client, intent: Intent): Promise<void> {
  const { eventId, rsvp, itemId, quantity } = intent;
  await setRsvp({ client, path: { id: eventId }, body: { status: rsvp } });
  if (itemId !== null) await claimItem({ client, path: { id: itemId }, body: { quantity } });
}

/** Claims an item. People who have not said that they are going say so with it. @throws ProblemError */
export async function claimAsGuest(client: Client, intent: Intent & { itemId: string }): Promise<void> {
  const { itemId, quantity } = intent;
  try {
    await claimItem({ client, path: { id: itemId }, body: { quantity } });
  } catch (error) {
    if (!isProblem(error, 'rsvp_required')) throw error;
    await carryOut(client, intent);
  }
}

/** Adds a refused intent to the address of the page that explains it. */
export function withRefusal(path: string, code: string, { itemId, quantity }: Intent): string {
  const url = new URL(path, 'http://local.invalid');
  url.searchParams.set('refused', code);
  if (itemId !== null) {
    url.searchParams.set('itemId', itemId);
    url.searchParams.set('quantity', String(quantity));
    url.hash = `item-${itemId}`;
  }
  return url.pathname + url.search + url.hash;
}
