/** The dates of series to which people are invited. */
import { type Queryable, sql, type Transaction } from '#pg';
import type { EventRow } from '../events/present.ts';
import { findEvent } from '../events/repo.ts';

/** The dates that an invited person sees: all of the series, also past ones. In ascending order of their ids. */
async function listDatesOf(db: Queryable, seriesId: string): Promise<string[]> {
  const dates = await db.query<{ id: string }>(
    sql`select id from events where series_id = ${seriesId} order by id`,
  );
  return dates.map(({ id }) => id);
}

/**
 * Locks a series against the making of dates and other invitations; people go on answering it.
 * @returns the ids of its dates, in ascending order
 */
export async function lockDatesOf(tx: Transaction, seriesId: string): Promise<string[]> {
  await tx.query(sql`select 1 from series where id = ${seriesId} for no key update`);
  return await listDatesOf(tx, seriesId);
}

/** What people are invited to. */
export type InvitedTo = { subjectId: string; isOfSeries: boolean };

/**
 * The event of an invitation: of one to a series, the date that it shows. That is the next one that takes place and is not hidden, or
 * else the next or the last one. Null if it was deleted.
 */
export async function findInvitedEvent(
  db: Queryable,
  { subjectId, isOfSeries }: InvitedTo,
  now: Date,
): Promise<EventRow | null> {
  const id = isOfSeries ? await findShownDate(db, subjectId, now) : subjectId;
  return id === null ? null : await findEvent(db, id);
}

export async function findShownDate(db: Queryable, seriesId: string, now: Date): Promise<string | null> {
  const [date] = await db.query<{ id: string }>(sql`
    select id from events where series_id = ${seriesId}
    order by end_at > ${now} desc, status = 'scheduled' and not hidden desc,
      case when end_at > ${now} then start_at end, start_at desc, id
    limit 1`);
  return date?.id ?? null;
}
