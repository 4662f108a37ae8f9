/** Transactions that only an admin may run. */
import { type Database, type Transaction, transaction } from '#pg';
import { Problem } from '../lib/errors.ts';
import { lockCaller } from './act-as.ts';
import type { Caller } from './caller.ts';

/**
 * Runs `work` as `actAs` does, and locks the caller's role: a transaction that changes the role commits
 * before `work` runs, or waits until it ends.
 * @throws Problem `token_invalid`, `not_admin`, and whatever `work` throws
 */
export function actAsAdmin<T>(
  db: Database,
  caller: Caller,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return transaction(db, async (tx) => {
    await lockAdmin(tx, caller);
    return work(tx);
  });
}

/**
 * Share-locks the caller's account and session, and checks the role under the lock.
 * @throws Problem `token_invalid`, `not_admin`
 */
export async function lockAdmin(tx: Transaction, caller: Caller): Promise<void> {
  const { role } = await lockCaller(tx, caller);
  if (role !== 'admin') throw new Problem('not_admin');
}
