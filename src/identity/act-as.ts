/** Transactions in the name of a caller, which lock the caller's account and session. */
import type { Database } from '../db/client.ts';
import { skipLockedUnless } from '../db/locks.ts';
import { sql } from '../db/sql.ts';
import { type Transaction, transaction } from '../db/transaction.ts';
import { Problem } from '../lib/errors.ts';
import type { Caller, Viewer } from './caller.ts';

/**
 * Runs `work` in a transaction that locks the caller's account and session first.
 * @throws Problem `token_invalid` if the session has ended
 */
export function actAs<T>(db: Database, caller: Caller, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return transaction(db, async (tx) => {
    await lockCaller(tx, caller);
    return work(tx);
  });
}

/**
 * Share-locks the caller's account and session. Logout and account deletion lock the same rows exclusively,
 * so a write either commits before them, and the deletion removes it, or fails here. No row of a person can
 * appear after the response to their account deletion.
 * @throws Problem `token_invalid` if the session has ended, or the account is suspended
 */
export async function lockCaller(tx: Transaction, caller: Caller): Promise<void> {
  const [role] = await lockCallers(tx, [caller], true);
  if (!role) throw new Problem('token_invalid');
}

/**
 * Locks as `lockCaller` does, also if the account is suspended: for endpoints that declare `allowsSuspended`.
 */
export async function lockAnyCaller(tx: Transaction, { id, sessionId, accessHash }: Caller): Promise<void> {
  const rows = await tx.query(sql`
    select 1 from users u
    join sessions s on s.user_id = u.id and s.id = ${sessionId} and s.access_hash = ${accessHash}
    where u.id = ${id}
    for key share of u, s`);
  if (rows.length === 0) throw new Problem('token_invalid');
}

/**
 * Share-locks the accounts and sessions of several callers.
 * @returns the role of each caller; null if the session has ended or its account is suspended, or if another
 *   transaction holds its lock and `mayWaitForLocks` is false
 */
export async function lockCallers(
  tx: Transaction,
  callers: Caller[],
  mayWaitForLocks: boolean,
): Promise<(Viewer['role'] | null)[]> {
  const rows = await tx.query<{ n: string; role: Viewer['role'] }>(sql`
    with asked as (
      select * from unnest(
        ${callers.map(({ id }) => id)}::uuid[], ${callers.map(({ sessionId }) => sessionId)}::uuid[],
        ${callers.map(({ accessHash }) => accessHash.toString('base64'))}::text[])
        with ordinality a (user_id, session_id, access_hash, n)
    ) ${lockedCallers(mayWaitForLocks)}`);
  const roles = new Map(rows.map(({ n, role }) => [Number(n), role]));
  return callers.map((_, i) => roles.get(i + 1) ?? null);
}

/**
 * The statement of `lockCallers`, for use inside another statement. It requires a common table expression
 * `asked (user_id, session_id, access_hash, n)` and selects (n, role) of the callers that it locked.
 */
export const lockedCallers = (mayWaitForLocks: boolean) => sql`
  select a.n, u.role from asked a
  join users u on u.id = a.user_id
  join sessions s on s.user_id = a.user_id and s.id = a.session_id and s.access_hash = decode(a.access_hash, 'base64')
  where u.suspended_at is null
  order by u.id, s.id
  for key share of u, s ${skipLockedUnless(mayWaitForLocks)}`;
