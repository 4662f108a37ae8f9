import type { Transaction } from '../../db/transaction.ts';
import type { Caller } from '../../identity/caller.ts';
import type { ProblemCode } from '../../lib/problem-catalogue.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { requireOwnEvent } from '../events/require-own-event.ts';
import { requireItemsAccepted } from './policy.ts';
import { toAddedItem } from './present.ts';
import { insertItems, toItemValues } from './repo.ts';
import type { AddedItem, NewItem } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const additionProblems: ProblemCode[] = [
  'event_not_found',
  'not_organizer',
  'module_disabled',
  'event_cancelled',
  'item_list_full',
  'quota_exceeded',
];

/**
 * Adds items to the caller's event, all or none, and counts them towards the daily quota.
 * @param pathOf the path of an item's field `kind` in the request
 * @returns the items in the same order
 * @throws Problem one of `additionProblems`
 */
export async function addToEvent(
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
