import { one, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import type { Caller } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { requireOwnEvent } from '../events/require-own-event.ts';
import { EventParams } from '../events/schemas.ts';
import { requireItemsAccepted } from './policy.ts';
import { toAddedItem } from './present.ts';
import { insertItems, toItemValues } from './repo.ts';
import { AddedItem, AddedItems, maxBatchValues, NewItem, NewItems } from './schemas.ts';
import type { ItemServices } from './services.ts';

const common = {
  method: 'POST',
  caller: 'fresh',
  retry: 'idempotent',
  params: EventParams,
  problems: [
    'event_not_found',
    'not_organizer',
    'module_disabled',
    'event_cancelled',
    'item_list_full',
    'quota_exceeded',
  ],
} as const;

export const addItem = defineEndpoint({
  ...common,
  path: '/v1/events/:id/items',
  summary: 'Add an item',
  description:
    'For the organizer of the event and admins. An event may have up to 500 items, with up to 1 MiB of text in total ' +
    '(409 `item_list_full`). The operator may limit the items that a person adds in a day (UTC), in production by ' +
    'default to 2,000; one more results in a 429.',
  body: NewItem,
  response: { 201: AddedItem },

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const eventId = readId(params.id, 'event_not_found');
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const added = await addToEvent(tx, services, { eventId, caller }, [body], () => 'kind');
      return { status: 201 as const, body: one(added) };
    });
  },
});

export const addItems = defineEndpoint({
  ...common,
  path: '/v1/events/:id/items/batch',
  summary: 'Add several items',
  description:
    'Adds up to 100 items in the given order, all or none of them; the response has the same order. A refusal names ' +
    'the field, such as `items.3.title`. The limits are those of adding the items one by one: 500 items and 1 MiB of ' +
    'text for an event (409 `item_list_full`), and the items that a person may add in a day (429).',
  body: NewItems,
  // Enough that a batch which is a little too long gets an error that states the maximum.
  limits: { maxBodyValues: 2 * maxBatchValues },
  response: { 201: AddedItems },

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const eventId = readId(params.id, 'event_not_found');
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const pathOf = (i: number) => `items.${i}.kind`;
      const data = await addToEvent(tx, services, { eventId, caller }, body.items, pathOf);
      return { status: 201 as const, body: { data } };
    });
  },
});

/**
 * Adds items to the caller's event, all or none, and counts them towards the daily quota.
 * @param pathOf the path of an item's field `kind` in the request
 * @returns the items in the same order
 * @throws Problem one of those of the endpoints
 */
async function addToEvent(
  tx: Transaction,
  services: ItemServices,
  { eventId, caller }: { eventId: string; caller: Caller },
  items: NewItem[],
  pathOf: (i: number) => string,
): Promise<AddedItem[]> {
  const event = await requireOwnEvent(tx, eventId, caller);
  requireItemsAccepted(
    event,
    items.map(({ kind }, i) => ({ kind, path: pathOf(i) })),
  );
  const rows = await insertItems(tx, eventId, items.map(toItemValues), services.clock());
  await countTowardsQuota(tx, services, caller.id, 'items', rows.length);
  return rows.map(toAddedItem);
}
