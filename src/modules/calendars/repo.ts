import type { Queryable } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';
import type { Secret } from './secrets.ts';

/** When the address that holds now was made; null when there is none. */
export async function findCalendar(db: Queryable, userId: string): Promise<Date | null> {
  const [row] = await db.query<{ createdAt: Date }>(
    sql`select created_at from calendars where user_id = ${userId}`,
  );
  return row?.createdAt ?? null;
}

/** In place of the one before, whose address is dead with it. Of two at once the last one holds. */
export async function setCalendar(
  tx: Transaction,
  userId: string,
  secretHash: Buffer,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into calendars (user_id, secret_hash, created_at) values (${userId}, ${secretHash}, ${now})
    on conflict (user_id) do update set secret_hash = excluded.secret_hash, created_at = excluded.created_at`);
}

export async function deleteCalendar(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql`delete from calendars where user_id = ${userId}`);
}

/** Whose calendar it is, as of now: nothing of it is kept in memory, so a revoked address is dead at once. */
export async function findOwner(db: Queryable, { userId, hash }: Secret): Promise<Viewer | null> {
  const [row] = await db.query<Viewer>(sql`
    select u.id, u.role from calendars c join users u on u.id = c.user_id
    where c.user_id = ${userId} and c.secret_hash = ${hash} and u.suspended_at is null`);
  return row ?? null;
}

/**
 * Ids of the first `most`, by start, of the events that somebody organizes, has answered, saved or booked, that have not
 * ended before `since`, and that they may see. A declared fan-out: it touches every event that the person has to do
 * with, found by four indexes, and costs by their number, however long ago they were.
 */
export async function listOwnEvents(
  db: Queryable,
  viewer: Viewer,
  { since, most }: { since: Date; most: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select e.id from events e
    where e.id in (
        select id from events where organizer_id = ${viewer.id}
        union all select event_id from rsvps where user_id = ${viewer.id}
        union all select event_id from saves where user_id = ${viewer.id}
        union all select event_id from bookings where user_id = ${viewer.id} and status = 'booked')
      and e.end_at >= ${since} and ${visibleCondition(viewer)}
    order by e.start_at, e.id limit ${most}`);
  return rows.map(({ id }) => id);
}
