/** Who sees a series, and who changes it. */
import { type Queryable, sql, type Transaction } from '#pg';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { isOrganizer } from '../events/audience.ts';
import { requireOrganizer, visibleCondition } from '../events/policy.ts';
import { findSeries, lockSeries, type Series } from '../events/series/repo.ts';

/** A series is visible to its organizer, to admins, and to people who see one of its occurrences. */
export async function isVisible(db: Queryable, series: Series, viewer: Viewer | null): Promise<boolean> {
  if (isOrganizer(series, viewer)) return true;
  const seen = await db.query(sql`
    select 1 from events e where e.series_id = ${series.id} and ${visibleCondition(viewer)} limit 1`);
  return seen.length > 0;
}

/** @throws Problem `series_not_found` */
export async function requireVisibleSeries(
  db: Queryable,
  id: string,
  viewer: Viewer | null,
): Promise<Series> {
  const series = await findSeries(db, id);
  if (!series || !(await isVisible(db, series, viewer))) throw new Problem('series_not_found');
  return series;
}

/** Locks a series that the caller may change. @throws Problem `series_not_found`, `not_organizer` */
export async function requireOwnSeries(tx: Transaction, id: string, caller: Caller): Promise<Series> {
  const series = await lockSeries(tx, id);
  if (!series || !(await isVisible(tx, series, caller))) throw new Problem('series_not_found');
  requireOrganizer(series, caller);
  return series;
}

export const maxActive = 50;

/**
 * Requires that a person has room for another series. The lock on the counters of the person lets concurrent requests count one
 * after another. The transaction must not have locked the change log.
 * @throws Problem `series_full`
 */
export async function requireRoom(tx: Transaction, userId: string, now: Date): Promise<void> {
  await tx.query(sql`select 1 from user_counters where user_id = ${userId} for update`);
  const active = await tx.query(sql`
    select id from series where organizer_id = ${userId} and status = 'active' and due_at is not null
    union select series_id from events where organizer_id = ${userId} and series_id is not null and end_at > ${now}
      and series_id in (select id from series where organizer_id = ${userId} and status = 'active')
    limit ${maxActive}`);
  if (active.length >= maxActive) throw new Problem('series_full');
}
