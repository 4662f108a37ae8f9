/**
 * Times that order changes, for clients that ask for what has changed since a time. Transactions do not commit in the order
 * of their times, so the time up to which such a client has everything is not the time of its request.
 */
import { one, type Queryable } from './queryable.ts';
import { formOf, raw, type Statement, sql } from './sql.ts';

/** The time at which the transaction began, by the clock of the database, in whole ms as times in JavaScript. */
export const transactionTime: Statement = sql`date_trunc('milliseconds', now())`;

/**
 * On one PostgreSQL, for the moment between the beginning of a transaction and its row in pg_stat_activity. A cluster finishes
 * a commit that a node has missed within a minute.
 */
const margin: Statement = formOf((isDistributed) =>
  raw(isDistributed ? `interval '2 minutes'` : `interval '2 seconds'`),
);

/**
 * Reads a settled time: each transaction whose time is earlier has ended, and a statement that begins after this one sees
 * its rows, also if another server runs it. Of the transactions that still run, pg_stat_activity has the times, of which the
 * time is the earliest but for a margin; a later transaction has a later time. That holds because
 * - it is read before the rows, by a statement of its own: a transaction that commits between the two is seen by the second;
 * - rows have the time of their transaction or a later one (`transactionTime`), not that of a server's clock;
 * - both statements run on the primary, and all servers connect as one role, which sees the times of its own transactions.
 * Without `track_activities` PostgreSQL shows no times; no transaction lasts for an hour, because a server's statements and
 * pauses between them are limited.
 */
export async function readSettledTime(primary: Queryable): Promise<Date> {
  const { at } = one(
    await primary.query<{ at: Date }>(sql`
      select date_trunc('milliseconds', coalesce(min(xact_start), now() - interval '1 hour') - ${margin}) as at
      from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`),
  );
  return at;
}
