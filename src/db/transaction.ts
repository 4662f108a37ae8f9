/** Transactions, and the lock that ties a write to the person who makes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { Problem } from '../errors.ts';
import type { Caller, Viewer } from '../http/viewer.ts';
import type { Sql, Tx } from './connect.ts';
import { isOutage, isRetryable } from './problems.ts';

const attempts = 5;

/**
 * Runs `work` in a transaction, again (at most five times) when PostgreSQL ended it for a deadlock.
 * `work` must have no effect outside the database. It may leave its last statements to `commit`, which sends the end of
 * the transaction along with them instead of waiting for them first.
 *
 * Everything takes its locks in one order, which is what keeps deadlocks out in the first place:
 * codes, code_sends, phones, users, sessions, usernames, imports, events, rsvps and saves, event_counters, bookings,
 * items, item_stock, claims, relations, user_counters, reports, flags, message_counts, conversations, messages, uploads,
 * upload_usage, loose_files, change_shards, idempotency_keys; within a table by key. Two accounts are share-locked in any order:
 * nobody ever takes a second one for themselves, but for an admin who suspends somebody that is none, or who changes a
 * role, before which all other changes of roles are over (src/admin/).
 */
export async function transaction<T>(sql: Sql, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(sql, work);
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

type Statement = postgres.PendingQuery<postgres.Row[]>;
/** Sends the last statements of a transaction and its end together; gives the results of the statements. */
type Commit = (...last: Statement[]) => Promise<postgres.RowList<postgres.Row[]>[]>;
type Work<T> = (tx: Tx, commit: Commit) => Promise<T>;

/** As the driver's own `begin`, but that begin and commit travel with other statements. */
async function runOnce<T>(sql: Sql, work: Work<T>): Promise<T> {
  const tx = await sql.reserve();
  let ending: Promise<void> | undefined;
  // `execute` sends statements in the order of its calls; one that is only awaited goes out later.
  const end = () => {
    ending ??= tx`commit`.execute().then(({ command }) => {
      // What an error before it makes of it.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    });
    return ending;
  };
  const commit = async (...last: Statement[]) => {
    const sent = last.map((statement) => statement.execute());
    const ended = end();
    // What failed is told by the statement that failed; that the end then rolled back is told by `ended` alone.
    ended.catch(() => {});
    const results = await Promise.all(sent);
    await ended;
    return results;
  };
  try {
    const begun = tx`begin isolation level read committed`.execute();
    const [result] = await Promise.all([work(tx, commit), begun]);
    await end();
    tx.release();
    return result;
  } catch (error) {
    await ending?.catch(() => {});
    // Who can tell what state its connection is in?
    if (isOutage(error)) void tx.end();
    else await tx`rollback`.then(tx.release, () => tx.end());
    throw error;
  }
}

/**
 * A transaction in the name of `caller`, whose account and session it holds from the first.
 * @throws Problem `token_invalid` when the session ended in the meantime
 */
export function actAs<T>(sql: Sql, caller: Caller, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(sql, async (tx) => {
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
export async function lockCaller(tx: Tx, caller: Caller): Promise<void> {
  const [role] = await lockCallers(tx, [caller], true);
  if (!role) throw new Problem('token_invalid');
}

/**
 * The same for many.
 * @returns each one's role; null for whose session has ended or, unless `isAlone`, is taken by another
 */
export async function lockCallers(
  tx: Tx,
  callers: Caller[],
  isAlone: boolean,
): Promise<(Viewer['role'] | null)[]> {
  const rows = await tx<{ n: string; role: Viewer['role'] }[]>`
    with asked as (
      select * from unnest(
        ${callers.map(({ id }) => id)}::uuid[], ${callers.map(({ sessionId }) => sessionId)}::uuid[],
        ${callers.map(({ accessHash }) => accessHash.toString('base64'))}::text[])
        with ordinality a (user_id, session_id, access_hash, n)
    ) ${heldCallers(tx, isAlone)}`;
  const roles = new Map(rows.map(({ n, role }) => [Number(n), role]));
  return callers.map((_, i) => roles.get(i + 1) ?? null);
}

/** The same as part of a statement: who of `asked (user_id, session_id, access_hash, n)` is held, as (n, role). */
export const heldCallers = (tx: Tx, isAlone: boolean) => tx`
  select a.n, u.role from asked a
  join users u on u.id = a.user_id
  join sessions s on s.user_id = a.user_id and s.id = a.session_id and s.access_hash = decode(a.access_hash, 'base64')
  order by u.id, s.id
  for key share of u, s ${orPassOver(tx, isAlone)}`;

/**
 * Ends a locking clause: who is alone waits for whoever holds the row, a batch passes over it. So what one person or
 * event waits for holds up nobody else.
 */
export const orPassOver = (tx: Tx, isAlone: boolean) => (isAlone ? tx`` : tx`skip locked`);
