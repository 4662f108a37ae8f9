/** Transactions, and the lock that ties a write to the person who makes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, Viewer } from '../http/authenticate.ts';
import { Problem } from '../lib/errors.ts';
import type { CheckedOut, Database } from './client.ts';
import { isOutage, isRetryable } from './errors.ts';
import type { Queryable, Row } from './query.ts';
import { empty, type Statement, sql } from './sql.ts';

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

/**
 * A transaction in the name of `caller`, whose account and session it holds from the first.
 * @throws Problem `token_invalid` when the session ended in the meantime
 */
export function actAs<T>(db: Database, caller: Caller, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return transaction(db, async (tx) => {
    await lockCaller(tx, caller);
    return work(tx);
  });
}

/**
 * Share-locks account and session: logout and account deletion take the same rows for themselves, so a write either
 * commits before them, and is cleaned up by them, or finds its caller gone. Nothing of a person can appear after their
 * deletion has answered.
 * @throws Problem `token_invalid` when the session has ended
 */
export async function lockCaller(tx: Transaction, caller: Caller): Promise<void> {
  const [role] = await lockCallers(tx, [caller], true);
  if (!role) throw new Problem('token_invalid');
}

/**
 * The same for many.
 * @returns each one's role; null for whose session has ended or, unless `isAlone`, is taken by another
 */
export async function lockCallers(
  tx: Transaction,
  callers: Caller[],
  isAlone: boolean,
): Promise<(Viewer['role'] | null)[]> {
  const rows = await tx.query<{ n: string; role: Viewer['role'] }>(sql`
    with asked as (
      select * from unnest(
        ${callers.map(({ id }) => id)}::uuid[], ${callers.map(({ sessionId }) => sessionId)}::uuid[],
        ${callers.map(({ accessHash }) => accessHash.toString('base64'))}::text[])
        with ordinality a (user_id, session_id, access_hash, n)
    ) ${heldCallers(isAlone)}`);
  const roles = new Map(rows.map(({ n, role }) => [Number(n), role]));
  return callers.map((_, i) => roles.get(i + 1) ?? null);
}

/** The same as part of a statement: who of `asked (user_id, session_id, access_hash, n)` is held, as (n, role). */
export const heldCallers = (isAlone: boolean) => sql`
  select a.n, u.role from asked a
  join users u on u.id = a.user_id
  join sessions s on s.user_id = a.user_id and s.id = a.session_id and s.access_hash = decode(a.access_hash, 'base64')
  order by u.id, s.id
  for key share of u, s ${orPassOver(isAlone)}`;

/**
 * Ends a locking clause: who is alone waits for whoever holds the row, a batch passes over it. So what one person or
 * event waits for holds up nobody else.
 */
export const orPassOver = (isAlone: boolean) => (isAlone ? empty : sql`skip locked`);
