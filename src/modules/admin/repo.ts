import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { escapeLike } from '../../lib/text.ts';
import { setRole } from '../auth/session-repo.ts';
import { userSearchTerm } from '../users/repo.ts';
import type { AdminUserRow } from './present.ts';

/** Any number that nothing else locks with. */
const rolesLock = 7_305_116;

/** Changes of roles come one after the other. To be taken first of all: whoever waits here holds nothing. */
export async function lockRoles(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${rolesLock})`);
}

/**
 * Gives or takes the role; `lockRoles` keeps those who count as the others from changing meanwhile.
 * @returns false when they had that role already
 * @throws Problem `user_not_found`, `last_admin`
 */
export async function changeRole(tx: Transaction, userId: string, role: Viewer['role']): Promise<boolean> {
  const [before] = await tx.query<{ role: Viewer['role'] }>(sql`
    select role from users where id = ${userId} for update`);
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

export type UserFilter = {
  q: string | undefined;
  /** E.164 */
  phone: string | undefined;
  suspended: boolean | undefined;
};
export type UserPlace = { createdAt: Date; id: string };

/** The newest account first; walks an index of ages, or takes what the words or the number find. */
export async function listUsers(
  db: Database,
  { q, phone, suspended }: UserFilter,
  after: UserPlace | null,
  limit: number,
): Promise<AdminUserRow[]> {
  return await db.query<AdminUserRow>(sql`
    select u.id, u.name, u.username, u.phone, u.role, u.suspended_at, u.created_at
    from users u
    where true
      ${q === undefined ? sql`` : sql`and u.search like ${patternOf(q)}`}
      ${phone === undefined ? sql`` : sql`and u.id = (select user_id from phones where phone = ${phone})`}
      ${suspended === undefined ? sql`` : suspended ? sql`and u.suspended_at is not null` : sql`and u.suspended_at is null`}
      ${after ? sql`and (u.created_at, u.id) < (${after.createdAt}, ${after.id})` : sql``}
    order by u.created_at desc, u.id desc limit ${limit}`);
}

/** As the search of people: starts of words, and from three characters on any part. */
function patternOf(q: string): string {
  const term = userSearchTerm(q);
  const start = escapeLike(term);
  return [...term].length < 3 ? `% ${start}%` : `%${start}%`;
}
