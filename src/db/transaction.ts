/** Transactions, and the lock that ties a write to the person who makes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from '../errors.ts';
import type { Viewer } from '../http/viewer.ts';
import type { Sql, Tx } from './connect.ts';
import { isRetryable } from './problems.ts';

const attempts = 5;

/**
 * Runs `work` in a transaction, again (at most five times) when PostgreSQL ended it for a deadlock.
 * `work` must have no effect outside the database.
 *
 * Everything takes its locks in one order, which is what keeps deadlocks out in the first place:
 * codes, code_sends, phones, users, sessions, usernames, imports, events, rsvps and saves, event_counters, items,
 * item_stock, claims, relations, user_counters, list_shards; within a table by key. Two accounts are share-locked in any order:
 * nobody ever takes a second one for themselves.
 */
export async function transaction<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await sql.begin('isolation level read committed', work)) as T;
    } catch (error) {
      if (attempt >= attempts || !isRetryable(error)) throw error;
      await sleep(Math.random() * 20 * attempt);
    }
  }
}

/**
 * A transaction in the name of `viewer`, whose account and session it holds from the first.
 * @throws Problem `token_invalid` when the session ended in the meantime
 */
export function actAs<T>(sql: Sql, viewer: Viewer, work: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(sql, async (tx) => {
    await lockCaller(tx, viewer);
    return work(tx);
  });
}

/**
 * Share-locks account and session: logout and account deletion take the same rows for themselves, so a write either
 * commits before them, and is cleaned up by them, or finds its caller gone. Nothing of a person can appear after their
 * deletion has answered.
 * @throws Problem `token_invalid` when the session has ended
 */
export async function lockCaller(tx: Tx, viewer: Viewer): Promise<void> {
  if ((await lockCallers(tx, [viewer], true)).size === 0) throw new Problem('token_invalid');
}

/**
 * The same for many.
 * @returns ids of the sessions that are held; one that is not has ended or, unless `isAlone`, is taken by another
 */
export async function lockCallers(tx: Tx, viewers: Viewer[], isAlone: boolean): Promise<Set<string>> {
  const rows = await tx<{ id: string }[]>`
    select s.id
    from unnest(${viewers.map(({ id }) => id)}::uuid[], ${viewers.map(({ sessionId }) => sessionId)}::uuid[])
      v (user_id, session_id)
    join users u on u.id = v.user_id
    join sessions s on s.user_id = v.user_id and s.id = v.session_id
    order by u.id, s.id
    for key share of u, s ${orPassOver(tx, isAlone)}`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Ends a locking clause: who is alone waits for whoever holds the row, a batch passes over it. So what one person or
 * event waits for holds up nobody else.
 */
export const orPassOver = (tx: Tx, isAlone: boolean) => (isAlone ? tx`` : tx`skip locked`);
