/** What was decided about people at all dates of a series: new dates have it too. */
import { type Queryable, sql, type Transaction } from '#pg';
import { type Standing, standingColumns } from '../policy.ts';

const none: Standing = { isInvited: false, isApproved: false, isRemoved: false };

export async function findSeriesStanding(db: Queryable, seriesId: string, userId: string): Promise<Standing> {
  const [found = none] = await db.query<Standing>(sql`
    select ${standingColumns()} from series_people p where series_id = ${seriesId} and user_id = ${userId}`);
  return found;
}

export const listSeriesPeople = (
  db: Queryable,
  seriesId: string,
): Promise<(Standing & { userId: string })[]> =>
  db.query<Standing & { userId: string }>(sql`
    select user_id, ${standingColumns()} from series_people p where series_id = ${seriesId}`);

/** Sets what was decided about a person at a series. The transaction must hold the lock of the series. */
export async function writeSeriesStanding(
  tx: Transaction,
  key: { seriesId: string; userId: string },
  { isInvited, isApproved, isRemoved }: Standing,
): Promise<void> {
  await tx.execute(sql`
    insert into series_people (series_id, user_id, is_invited, is_approved, is_removed)
    values (${key.seriesId}, ${key.userId}, ${isInvited}, ${isApproved}, ${isRemoved})
    on conflict (series_id, user_id) do update set is_invited = excluded.is_invited, is_approved = excluded.is_approved,
      is_removed = excluded.is_removed`);
}

/** Gives new dates of a series what was decided about people there. */
export async function decideNewDates(tx: Transaction, seriesId: string, eventIds: string[]): Promise<void> {
  for (const id of eventIds)
    await tx.execute(sql`
      insert into event_people (event_id, user_id, is_invited, is_approved, is_removed)
      select ${id}::uuid, user_id, is_invited, is_approved, is_removed from series_people where series_id = ${seriesId}`);
}
