import { type Queryable, sql, type Transaction } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';
import type { Secret } from './secrets.ts';

/** The time at which the current URL was created; null without a URL. */
export async function findCalendar(db: Queryable, userId: string): Promise<Date | null> {
  const [row] = await db.query<{ createdAt: Date }>(
    sql`select created_at from calendars where user_id = ${userId}`,
  );
  return row?.createdAt ?? null;
}

/**
 * Replaces the URL of the person's calendar. Of two concurrent replacements, the later one takes effect.
 */
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

/**
 * The owner of a calendar; null if the URL was revoked or the owner is suspended. Each call reads the
 * database, so a revocation takes effect immediately on every server.
 */
export async function findOwner(db: Queryable, { userId, hash }: Secret): Promise<Viewer | null> {
  const [row] = await db.query<Viewer>(sql`
    select u.id, u.role from calendars c join users u on u.id = c.user_id
    where c.user_id = ${userId} and c.secret_hash = ${hash} and u.suspended_at is null`);
  return row ?? null;
}

/**
 * Ids of the events that `owner` organizes, responded to, saved or booked and may see, ordered by start. The
 * statement reads all events of the owner through four indexes, past ones included, so its cost grows with
 * their number.
 * @param endedAfter leaves out events that ended before this time
 */
export async function listOwnEvents(
  db: Queryable,
  owner: Viewer,
  { endedAfter, limit }: { endedAfter: Date; limit: number },
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select e.id from events e
    where e.id in (
        select id from events where organizer_id = ${owner.id}
        union all select event_id from rsvps where user_id = ${owner.id}
        union all select event_id from saves where user_id = ${owner.id}
        union all select event_id from bookings where user_id = ${owner.id} and status = 'booked')
      and e.end_at >= ${endedAfter} and ${visibleCondition(owner)}
    order by e.start_at, e.id limit ${limit}`);
  return rows.map(({ id }) => id);
}
