/** What a person learns of the suspension of their account, once a request has proved that the account is theirs. */
import { type Queryable, type Statement, sql } from '#pg';
import type { Suspension } from '../lib/errors.ts';
import type { Token } from './tokens.ts';

/** Reads the suspension of an account; undefined if it is not suspended. */
export const findSuspension = (db: Queryable, userId: string): Promise<Suspension | undefined> =>
  readSuspension(db, sql`u.id = ${userId}`);

/**
 * Reads the suspension that ended the session of a token; undefined for every other token. The token authenticates nothing:
 * its sender was signed in, and learns no more than why that has ended.
 */
export const findSuspensionByToken = (
  db: Queryable,
  { userId, hash }: Pick<Token, 'userId' | 'hash'>,
): Promise<Suspension | undefined> =>
  readSuspension(
    db,
    sql`u.id = ${userId}
      and exists (select 1 from suspended_tokens t where t.user_id = u.id and t.token_hash = ${hash})`,
  );

async function readSuspension(db: Queryable, condition: Statement): Promise<Suspension | undefined> {
  const [row] = await db.query<Suspension>(sql`
    select u.suspended_at, u.suspension_reason as reason from users u
    where u.suspended_at is not null and ${condition}`);
  return row;
}
