/** Hides an event from all but its organizer and admins, and shows it again. */
import type { Change } from '#fresh-records';
import { assignments, sql, type Transaction, transactionTime, update } from '#pg';
import { addToEventsCount } from '../people/counters.ts';
import { changedEvents } from './changed-events.ts';
import { listingKeysOf } from './listing-keys.ts';
import { isListed } from './policy.ts';
import type { EventRow } from './present.ts';
import { findEvent } from './repo.ts';
import type { HiddenState } from './schemas.ts';
import { writeTombstones } from './tombstones.ts';

/**
 * Hides an event from all but its organizer and admins, or changes the reason. The lock on the event conflicts with the share
 * locks of RSVPs, bookings and claims and with the lock of a change: each of them commits before, or sees the hidden event.
 * @returns null if the event does not exist
 */
export async function hideEvent(
  tx: Transaction,
  id: string,
  { reason, now }: { reason: string; now: Date },
): Promise<HiddenEvent | null> {
  const event = await lockWithOrganizer(tx, id);
  if (!event) return null;
  const { row } = event;
  const at = row.hiddenAt ?? now;
  const isChanged = row.hiddenAt === null || row.hiddenReason !== reason;
  const state = { hidden: true, hiddenReason: reason, hiddenAt: at };
  const change = isChanged ? await changeHidden(tx, row, state) : null;
  return { organizerId: row.organizerId, hidden: { reason, at }, change };
}

/** Shows an event that an admin hides. The events of a suspended organizer stay hidden. @returns as `hideEvent` */
export async function showEvent(tx: Transaction, id: string): Promise<HiddenEvent | null> {
  const event = await lockWithOrganizer(tx, id);
  if (!event) return null;
  const { row, isSuspended } = event;
  const state = { hidden: isSuspended, hiddenReason: null, hiddenAt: null };
  const change = row.hiddenAt === null ? null : await changeHidden(tx, row, state);
  return { organizerId: row.organizerId, hidden: null, change };
}

/** `change`: what to record at the end of the transaction; null if the event has the state already. */
type HiddenEvent = { organizerId: string; hidden: HiddenState | null; change: Change | null };

/** Locks an event, and before it the account of its organizer against a suspension. */
async function lockWithOrganizer(
  tx: Transaction,
  id: string,
): Promise<{ row: EventRow; isSuspended: boolean } | null> {
  const [found] = await tx.query<{ organizerId: string }>(sql`
    select organizer_id from events where id = ${id}`);
  if (!found) return null;
  const [organizer] = await tx.query<{ isSuspended: boolean }>(sql`
    select suspended_at is not null as is_suspended from users where id = ${found.organizerId} for key share`);
  await tx.query(sql`select 1 from events where id = ${id} for update`);
  const row = await findEvent(tx, id);
  return row && organizer ? { row, isSuspended: organizer.isSuspended } : null;
}

async function changeHidden(
  tx: Transaction,
  before: EventRow,
  state: Pick<EventRow, 'hidden' | 'hiddenReason' | 'hiddenAt'>,
): Promise<Change> {
  const { hidden, hiddenReason, hiddenAt } = state;
  const changed = assignments({
    hidden,
    hidden_reason: hiddenReason,
    hidden_at: hiddenAt,
    updated_at: transactionTime,
  });
  await tx.query(sql`${update('events', changed)} where id = ${before.id}`);
  const after = { ...before, hidden };
  await writeTombstones(tx, [{ id: before.id, before, after }]);
  await addToEventsCount(tx, before.organizerId, Number(isListed(after)) - Number(isListed(before)));
  return { records: [changedEvents([before.id])], listingKeys: listingKeysOf([before, after]) };
}
