/** Transactions in the name of a caller, which lock the caller's account and session. */
import { type Database, lockRows, rowsOf, skipLockedUnless, sql, type Transaction, transaction } from '#pg';
import { Problem } from '../lib/errors.ts';
import type { Caller, UnlockedCaller, Viewer } from './caller.ts';
import { findSuspensionByToken } from './suspensions.ts';

/**
 * Runs `work` in a transaction that locks the caller's account and session first. `work` gets the caller with the role that
 * the locked account has: it may have changed since the request was authenticated.
 * @param lockFirst takes advisory locks, which come before those of rows
 * @throws Problem `token_invalid` if the session has ended
 */
export function actAs<T>(
  db: Database,
  caller: UnlockedCaller,
  work: (tx: Transaction, caller: Caller) => Promise<T>,
  lockFirst?: (tx: Transaction) => Promise<void>,
): Promise<T> {
  return transaction(db, async (tx) => {
    await lockFirst?.(tx);
    return work(tx, await lockCaller(tx, caller));
  });
}

/**
 * Share-locks the caller's account and session. Logout and account deletion lock the same rows exclusively,
 * so a write either commits before them, and the deletion removes it, or fails here. No row of a person can
 * appear after the response to their account deletion; on a cluster, sweeps remove those that do (decision 51).
 * @returns the caller with the role of the locked account
 * @throws Problem `token_invalid` if the session has ended, or the account is suspended
 */
export async function lockCaller(tx: Transaction, caller: UnlockedCaller): Promise<Caller> {
  const [role] = await lockCallers(tx, [caller], true);
  if (!role) {
    const suspension = await findSuspensionByToken(tx, { userId: caller.id, hash: caller.accessHash });
    throw new Problem('token_invalid', { suspension });
  }
  return { ...caller, role };
}

/**
 * Locks as `lockCaller` does, and the caller's account exclusively: other writes in the caller's name wait, and no session is
 * opened. The transaction must not hold a share lock on the account, which two transactions could wait for each other to release.
 */
export async function lockOwnAccount(tx: Transaction, caller: UnlockedCaller): Promise<void> {
  await tx.query(sql`select 1 from users where id = ${caller.id} for update`);
  await lockCaller(tx, caller);
}

/**
 * Locks as `lockCaller` does, also if the account is suspended: for endpoints whose session rules have `allowsSuspended`.
 */
export async function lockAnyCaller(
  tx: Transaction,
  { id, sessionId, accessHash }: UnlockedCaller,
): Promise<void> {
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
  callers: UnlockedCaller[],
  mayWaitForLocks: boolean,
): Promise<(Viewer['role'] | null)[]> {
  const locked = await lockRows<{ role: Viewer['role'] }, UnlockedCaller>(
    tx,
    callers,
    // With the hash: of two tokens of a session, one may have been replaced.
    ({ id, sessionId, accessHash }) => `${id} ${sessionId} ${accessHash.toString('base64')}`,
    (some) => sql`
      select k.nth::int, u.role
      from ${rowsOf('users u', some, { id: 'uuid' }, { sessionId: 'uuid', accessHash: 'bytea' })}
      join sessions s on s.user_id = u.id and s.id = k.session_id and s.access_hash = k.access_hash
      where u.suspended_at is null
      order by u.id, s.id
      for key share of u, s ${skipLockedUnless(mayWaitForLocks)}`,
  );
  return locked.map((row) => row?.role ?? null);
}
