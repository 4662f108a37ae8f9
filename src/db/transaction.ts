/** Transactions, and the lock that ties a write to the person who makes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckedOut, Database } from './client.ts';
import { isOutage, isRetryable } from './errors.ts';
import type { Queryable, Row } from './query.ts';
import { type Statement, sql } from './sql.ts';

/** Runs statements inside a transaction. */
export type Transaction = Queryable & { readonly isTransaction: true };

const maxAttempts = 5;

/**
 * Runs `work` in a transaction, again (at most five times) if PostgreSQL ended it because of a deadlock.
 * `work` must have no effect outside the database. It may pass its last statements to `commit`, which sends them
 * together with the end of the transaction and so saves a round trip.
 *
 * Everything takes its locks in one order, which is what keeps deadlocks out in the first place:
 * codes, code_sends, phones, users, sessions, usernames, imports, events, rsvps and saves, event_counters, bookings,
 * items, item_stock, claims, relations, user_counters, reports, flags, message_counts, conversations, messages, uploads,
 * upload_usage, loose_files, change_shards, idempotency_keys; within a table by key. Two accounts are share-locked in any order:
 * nobody ever takes a second one for themselves, but for an admin who suspends somebody that is none, or who changes a
 * role, before which all other changes of roles are over (src/admin/).
 */
export async function transaction<T>(db: Database, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(db, work);
    } catch (error) {
      if (attempt >= maxAttempts || !isRetryable(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/** Sends the last statements of a transaction and its end together. Returns the rows of each statement. */
type Commit = (...last: Statement[]) => Promise<Row[][]>;
type Work<T> = (tx: Transaction, commit: Commit) => Promise<T>;

async function runOnce<T>(db: Database, work: Work<T>): Promise<T> {
  const connection = await db.checkOut();
  try {
    const result = await runOn(connection, work);
    connection.release();
    return result;
  } catch (error) {
    await abandon(connection, error);
    throw error;
  }
}

/** The connection is pipelined: BEGIN and the first statements, and the last statements and COMMIT, share a round trip. */
async function runOn<T>(connection: CheckedOut, work: Work<T>): Promise<T> {
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= connection.command(sql`commit`).then((command) => {
      // PostgreSQL answers ROLLBACK if an earlier statement failed.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    });
    return ended;
  };
  const commit: Commit = async (...last) => {
    const sent = last.map((statement) => connection.query(statement));
    const committed = end();
    // The statement that failed reports why; the rollback that follows adds nothing.
    committed.catch(() => {});
    const results = await Promise.all(sent);
    await committed;
    return results;
  };
  const tx: Transaction = { query: connection.query, execute: connection.execute, isTransaction: true };
  const begun = connection.command(sql`begin isolation level read committed`);
  const [result] = await Promise.all([work(tx, commit), begun]);
  await end();
  return result;
}

async function abandon(connection: CheckedOut, error: unknown): Promise<void> {
  if (isOutage(error)) return connection.discard();
  await connection.command(sql`rollback`).then(connection.release, connection.discard);
}
