/**
 * Tombstones of events that lists no longer show. The transaction that changes an event writes its tombstone, under the lock on
 * the event. An event has either a place in lists or, if lists have ever shown it, a tombstone.
 */
import { dayMs } from '#base';
import {
  deleteRows,
  insertRows,
  type Queryable,
  sql,
  type Transaction,
  transactionTime,
  updateRows,
} from '#pg';
import type { EventFields } from './event-fields.ts';

export const tombstoneReasons = ['deleted', 'cancelled', 'hidden'] as const;
type Reason = (typeof tombstoneReasons)[number];

type State = Pick<EventFields, 'visibility' | 'status'> & { hidden: boolean };
/** `after`: null for a deleted event. */
type Transition = { id: string; before: State; after: State | null };

/** For how many days a client can ask for the changes since a time. */
export const tombstoneDays = 30;
/** Tombstones are kept for a day more: the clocks of servers differ, and a client needs time to read all pages. */
const keptMs = (tombstoneDays + 1) * dayMs;

/**
 * Why lists do not show an event, as far as a stranger may know it; null if they show it. An event that its organizer
 * withdraws from the public must look like a deleted one.
 */
function reasonOf(event: State | null): Reason | null {
  if (event?.visibility !== 'public') return 'deleted';
  if (event.hidden) return 'hidden';
  return event.status === 'cancelled' ? 'cancelled' : null;
}

/** Writes the tombstones of events that leave lists, and removes those of events that lists show again. The events must be locked. */
export async function writeTombstones(tx: Transaction, transitions: Transition[]): Promise<void> {
  const changes = transitions
    .map(({ id, before, after }) => ({ eventId: id, was: reasonOf(before), reason: reasonOf(after) }))
    // A stranger must not learn that a hidden event exists which had been withdrawn.
    .filter(({ was, reason }) => was !== reason && !(was === 'deleted' && reason === 'hidden'));
  if (changes.length === 0) return;
  const [time] = await tx.query<{ at: Date }>(sql`select ${transactionTime} as at`);
  const rows = changes.map((change) => ({ ...change, at: time?.at }));
  const key = { eventId: 'uuid' } as const;
  const shown = rows.filter(({ reason }) => reason === null);
  const left = rows.filter(({ was }) => was === null);
  // Lists may never have shown them: without a tombstone, they get none.
  const others = rows.filter(({ was, reason }) => was !== null && reason !== null);
  const [reasonAndTime, columns] = [
    { reason: 'text', at: 'timestamptz' } as const,
    { eventId: 'uuid', reason: 'text', at: 'timestamptz' } as const,
  ];
  if (shown.length > 0) await tx.execute(deleteRows('event_tombstones t', shown, key));
  if (left.length > 0)
    await tx.execute(sql`
      ${insertRows('event_tombstones', left, columns)}
      on conflict (event_id) do update set reason = excluded.reason, at = excluded.at`);
  if (others.length > 0)
    await tx.execute(
      updateRows('event_tombstones t', others, key, reasonAndTime, sql`reason = k.reason, at = k.at`),
    );
}

export async function deleteExpiredTombstones(db: Queryable, now: Date): Promise<void> {
  await db.query(sql`delete from event_tombstones where at < ${new Date(now.getTime() - keptMs)}`);
}
