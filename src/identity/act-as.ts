import type { Database } from '../db/client.ts';
import { skipLockedUnless } from '../db/locks.ts';
import { sql } from '../db/sql.ts';
import { type Transaction, transaction } from '../db/transaction.ts';
import { Problem } from '../lib/errors.ts';
import type { Caller, Viewer } from './caller.ts';
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

/** The same as part of a statement: who of `asked (user_id, session_id, access_hash, n)` is held, as (n, role). */
export const lockedCallers = (mayWaitForLocks: boolean) => sql`
  select a.n, u.role from asked a
  join users u on u.id = a.user_id
  join sessions s on s.user_id = a.user_id and s.id = a.session_id and s.access_hash = decode(a.access_hash, 'base64')
  order by u.id, s.id
  for key share of u, s ${skipLockedUnless(mayWaitForLocks)}`;
