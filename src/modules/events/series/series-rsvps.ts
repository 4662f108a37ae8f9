/** SQL of RSVPs to series. The transactions of writes must hold a lock of the series, in any mode, that excludes changes of its dates. */
import { type Queryable, type Statement, sql, type Transaction } from '#pg';
import type { Rsvp } from '../repo.ts';

export type SeriesRsvp = { userId: string; status: Rsvp; extraGuests: number; isHidden: boolean };

const columns = (): Statement => sql`user_id, status, extra_guests, is_hidden`;

export async function findSeriesRsvp(
  db: Queryable,
  seriesId: string,
  userId: string,
): Promise<SeriesRsvp | null> {
  const [found] = await db.query<SeriesRsvp>(sql`
    select ${columns()} from series_rsvps where series_id = ${seriesId} and user_id = ${userId}`);
  return found ?? null;
}

/** The RSVPs of a person to some series, by the id of the series. */
export async function findOwnSeriesRsvps(
  db: Queryable,
  seriesIds: string[],
  userId: string,
): Promise<Map<string, Rsvp>> {
  if (seriesIds.length === 0) return new Map();
  const found = await db.query<{ seriesId: string; status: Rsvp }>(sql`
    select series_id, status from series_rsvps where series_id = any(${seriesIds}::uuid[]) and user_id = ${userId}`);
  return new Map(found.map(({ seriesId, status }) => [seriesId, status]));
}

/** The RSVPs of a person to series. */
export const listOwnSeriesRsvps = (
  db: Queryable,
  userId: string,
): Promise<(SeriesRsvp & { seriesId: string })[]> =>
  db.query<SeriesRsvp & { seriesId: string }>(
    sql`select series_id, ${columns()} from series_rsvps where user_id = ${userId} order by series_id`,
  );

/** Lists the RSVPs to a series by the age of the accounts. @param after the person at the end of the previous part */
export const listSeriesRsvps = (
  db: Queryable,
  seriesId: string,
  { after, limit }: { after: string; limit: number },
): Promise<SeriesRsvp[]> =>
  db.query<SeriesRsvp>(sql`
    select ${columns()} from series_rsvps where series_id = ${seriesId} and user_id > ${after}
    order by user_id limit ${limit}`);

export async function upsertSeriesRsvp(
  tx: Transaction,
  seriesId: string,
  { userId, status, extraGuests, isHidden }: SeriesRsvp,
  now: Date,
): Promise<void> {
  await tx.execute(sql`
    insert into series_rsvps (series_id, user_id, status, extra_guests, is_hidden, created_at)
    values (${seriesId}, ${userId}, ${status}, ${extraGuests}, ${isHidden}, ${now})
    on conflict (series_id, user_id) do update set status = excluded.status, extra_guests = excluded.extra_guests,
      is_hidden = excluded.is_hidden`);
}

/** @returns whether the person had one */
export const deleteSeriesRsvp = async (tx: Transaction, seriesId: string, userId: string): Promise<boolean> =>
  (await tx.execute(sql`delete from series_rsvps where series_id = ${seriesId} and user_id = ${userId}`)) > 0;

/** Gives the later part of a split series the RSVPs and requests to the earlier one, and what was decided about people there. */
export async function copyPeople(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.execute(sql`
    insert into series_rsvps (series_id, user_id, status, extra_guests, is_hidden, created_at)
    select ${to}::uuid, user_id, status, extra_guests, is_hidden, created_at from series_rsvps
    where series_id = ${from}`);
  await tx.execute(sql`
    insert into series_people (series_id, user_id, is_invited, is_approved, is_removed)
    select ${to}::uuid, user_id, is_invited, is_approved, is_removed from series_people where series_id = ${from}`);
  await tx.execute(sql`
    insert into requests (subject_id, user_id, status, answer, extra_guests, is_hidden, message, created_at, refused_at, is_of_series)
    select ${to}::uuid, user_id, status, answer, extra_guests, is_hidden, message, created_at, refused_at, true from requests
    where subject_id = ${from}`);
}
