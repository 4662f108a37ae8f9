import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { readEventId } from '../events/event-id.ts';
import { requireOwnEvent } from '../events/require-own-event.ts';
import { EventParams } from '../events/schemas.ts';
import { requireItemsAccepted } from './policy.ts';
import { toAddedItem } from './present.ts';
import { insertItems, toItemValues } from './repo.ts';
import { AddedItems, maxBatchValues, NewItems } from './schemas.ts';
import type { ItemServices } from './services.ts';

/** Adds several items to an event. */
export const addItems = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/items/batch',
  operationId: 'addItems',
  tag: 'Items',
  summary: 'Add several items',
  description:
    'Adds up to 100 items in the given order, all or none of them; the response has the same order. A refusal names ' +
    'the field, such as `items.3.title`. The limits are those of adding the items one by one: 500 items and 1 MiB of ' +
    'text for an event (409 `item_list_full`), and the items that a person may add in a day (429).',
  access: 'required',
  idempotent: true,
  params: EventParams,
  body: NewItems,
  // Enough that a batch which is a little too long gets an error that states the maximum.
  maxBodyValues: 2 * maxBatchValues,
  response: { 201: AddedItems },
  problems: [
    'event_not_found',
    'not_organizer',
    'module_disabled',
    'event_cancelled',
    'item_list_full',
    'quota_exceeded',
  ],

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const id = readEventId(params.id);
    return runIdempotent(services, caller, idempotency, async (tx) => {
      const event = await requireOwnEvent(tx, id, caller);
      const kinds = body.items.map(({ kind }, i) => ({ kind, path: `items.${i}.kind` }));
      requireItemsAccepted(event, kinds);
      const rows = await insertItems(tx, id, body.items.map(toItemValues), services.clock());
      await countTowardsQuota(tx, services, caller.id, 'items', rows.length);
      return { status: 201 as const, body: { data: rows.map(toAddedItem) } };
    });
  },
});
