/** Bounds how often this instance fetches calendars of one host. */
import { hourMs } from '#base';
import { type Database, type Queryable, sql } from '#pg';
import { Problem } from '../../../lib/errors.ts';
import { hourOf } from './source-hour.ts';

const maxFetches = 60;

/**
 * Counts a fetch of a host. Correct on any number of servers: `on conflict` locks the row before it evaluates the condition.
 * @returns null, or the time from which the host may be fetched again
 */
export async function countFetch(
  db: Queryable,
  url: URL,
  { now, testOrigin }: { now: Date; testOrigin: string | undefined },
): Promise<Date | null> {
  const lengthMs = hourOf(url, testOrigin);
  const hour = new Date(Math.floor(now.getTime() / lengthMs) * lengthMs);
  const counted = await db.execute(sql`
    insert into import_fetches as f (host, hour, fetches) values (${url.hostname}, ${hour}, 1)
    on conflict (host, hour) do update set fetches = f.fetches + 1 where f.fetches < ${maxFetches}`);
  return counted === 0 ? new Date(hour.getTime() + lengthMs) : null;
}

export const sourceBusy = (until: Date, now: Date): Problem =>
  new Problem('source_busy', {
    retryAfter: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)),
  });

/** Deletes the counts of past hours, except of the last one: the clocks of other servers may be behind. */
export const deleteOldFetches = async (db: Database, now: Date): Promise<void> => {
  await db.execute(sql`delete from import_fetches where hour < ${new Date(now.getTime() - 2 * hourMs)}`);
};
