import type { ListingKey } from '#fresh-records';
import { assignments, lockEach, sql, type Transaction, transactionTime, update } from '#pg';
import { addToEventsCount } from '../people/counters.ts';
import { type ListableEvent, listingKeysOf } from './listing-keys.ts';
import { writeTombstones } from './tombstones.ts';

/**
 * Hides the events of an organizer, or shows those that no admin hides, and updates the organizer's number of listed events. Events are
 * locked in ascending order of their ids, as everywhere (`LOCK_ORDER`).
 * @returns the ids of the changed events, and the keys of the lists that show or showed them
 */
export async function setHidden(
  tx: Transaction,
  userId: string,
  hidden: boolean,
): Promise<{ ids: string[]; listingKeys: ListingKey[] }> {
  await lockOrganizedEvents(tx, userId);
  const rows = await tx.query<ListableEvent & { id: string }>(sql`
    ${update('events', assignments({ hidden, updated_at: transactionTime }))}
    where organizer_id = ${userId} and hidden <> ${hidden} and hidden_at is null
    returning id, lat, lng, start_at, end_at, visibility, status`);
  await writeTombstones(
    tx,
    rows.map((row) => ({ id: row.id, before: { ...row, hidden: !hidden }, after: { ...row, hidden } })),
  );
  const listingKeys = listingKeysOf(rows.map((row) => ({ ...row, hidden: false })));
  await addToEventsCount(tx, userId, hidden ? -listingKeys.length : listingKeys.length);
  return { ids: rows.map(({ id }) => id), listingKeys };
}

/** Locks the events of an organizer in the mode that excludes all other writes. */
export async function lockOrganizedEvents(tx: Transaction, organizerId: string): Promise<void> {
  const rows = await tx.query<{ id: string }>(sql`select id from events where organizer_id = ${organizerId}`);
  const ids = rows.map(({ id }) => id);
  await lockEach(ids, String, (id) => tx.query(sql`select 1 from events where id = ${id} for update`));
}
