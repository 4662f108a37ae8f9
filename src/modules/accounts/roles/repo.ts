import { sql, type Transaction } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { AdvisoryLock } from '../../../schema/locks.ts';
import { setRole } from '../sessions/repo.ts';

/**
 * Serializes changes of roles. Call this first in a transaction, so that it waits without holding other
 * locks.
 */
export async function lockRoles(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.roleChange})`);
}

/**
 * Changes the role of a person. The transaction must have called `lockRoles`, so that the set of admins does
 * not change.
 * @returns false if the person had the role before
 * @throws Problem `user_not_found`, `last_admin`
 */
export async function changeRole(tx: Transaction, userId: string, role: Viewer['role']): Promise<boolean> {
  const [before] = await tx.query<{ role: Viewer['role'] }>(sql`
    select role from users where id = ${userId} and guest_of is null for update`);
  if (!before) throw new Problem('user_not_found');
  if (before.role === role) return false;
  if (role === 'user') {
    const others = await tx.query(sql`
      select 1 from users where role = 'admin' and id <> ${userId} and suspended_at is null limit 1`);
    if (others.length === 0) throw new Problem('last_admin');
  }
  await setRole(tx, userId, role);
  return true;
}
