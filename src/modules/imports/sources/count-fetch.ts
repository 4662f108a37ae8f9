/** Bounds how often this instance fetches calendars of one host. */
import { hourMs } from '#base';
import { type Database, sql } from '#pg';
import { Problem } from '../../../lib/errors.ts';

const maxFetches = 60;

/**
 * Counts a fetch of a host. Correct on any number of servers: `on conflict` locks the row before it evaluates the condition.
 * @throws Problem `source_busy`
 */
export async function countFetch(db: Database, { hostname }: URL, now: Date): Promise<void> {
  const hour = new Date(Math.floor(now.getTime() / hourMs) * hourMs);
  const counted = await db.execute(sql`
    insert into import_fetches as f (host, hour, fetches) values (${hostname}, ${hour}, 1)
    on conflict (host, hour) do update set fetches = f.fetches + 1 where f.fetches < ${maxFetches}`);
  if (counted === 0)
    throw new Problem('source_busy', {
      retryAfter: Math.ceil((hour.getTime() + hourMs - now.getTime()) / 1_000),
    });
}

/** Deletes the counts of past hours, except of the last one: the clocks of other servers may be behind. */
export const deleteOldFetches = async (db: Database, now: Date): Promise<void> => {
  await db.execute(sql`delete from import_fetches where hour < ${new Date(now.getTime() - 2 * hourMs)}`);
};
