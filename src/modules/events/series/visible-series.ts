/** Who sees a series, and who changes it. */
import { type Queryable, sql, type Transaction } from '#pg';
import type { Caller, Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { isOrganizer } from '../audience.ts';
import { requireOrganizer, visibleCondition } from '../policy.ts';
import { findSeries, lockSeries, type Series } from './repo.ts';

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

/** As `requireOwnSeries`, without a lock. @throws Problem `series_not_found`, `not_organizer` */
export async function findOwnSeries(db: Queryable, id: string, caller: Caller): Promise<Series> {
  const series = await requireVisibleSeries(db, id, caller);
  requireOrganizer(series, caller);
  return series;
}
