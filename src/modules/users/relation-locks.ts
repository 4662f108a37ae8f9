/** What is between two people, held for what depends on it: many pairs at once. */

import { skipLockedUnless } from '../../db/locks.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { RelationRow } from './present.ts';

/** The smaller id first: the row by which `changeRelation` locks what is between the two. */
export type Pair = { first: string; second: string };

export const pairOf = (one: string, other: string): Pair =>
  one < other ? { first: one, second: other } : { first: other, second: one };
export const keyOfPair = ({ first, second }: Pair): string => first + second;

/** These people, share-locked: whoever is just leaving is waited for or, in a batch, passed over. */
export const lockedPeople = (ids: string[], mayWaitForLocks: boolean) => sql`
  select id from users where id = any(${ids}::uuid[]) order by id for key share ${skipLockedUnless(mayWaitForLocks)}`;

/**
 * Locks what is between these people, as `changeRelation` does: nobody blocks the other meanwhile, and neither account
 * is deleted. A row is made where there is none, so `releasePairs` has to follow.
 * @returns by key, as the first has it; a pair is missing of which one is gone or, unless `isAlone`, taken by another
 */
export async function lockPairs(
  tx: Transaction,
  pairs: Pair[],
  mayWaitForLocks: boolean,
): Promise<Map<string, RelationRow>> {
  const firsts = pairs.map(({ first }) => first);
  const seconds = pairs.map(({ second }) => second);
  const rows = await tx.query<RelationRow & { userId: string; otherId: string }>(sql`
    with held as materialized (
      ${lockedPeople([...firsts, ...seconds], mayWaitForLocks)}
    )
    insert into relations as r (user_id, other_id, follows, followed_by, blocks, blocked_by)
    select distinct k.first, k.second, false, false, false, false
    from unnest(${firsts}::uuid[], ${seconds}::uuid[]) k (first, second)
    join held f on f.id = k.first join held s on s.id = k.second
    order by 1, 2
    on conflict (user_id, other_id) do update set follows = r.follows
    returning user_id, other_id, follows, followed_by, blocks, blocked_by`);
  return new Map(rows.map((row) => [keyOfPair({ first: row.userId, second: row.otherId }), row]));
}

/** Of people with nothing between them no row stays. */
export const releasePairs = (pairs: Pair[]) => sql`
  delete from relations r
  using unnest(${pairs.map(({ first }) => first)}::uuid[], ${pairs.map(({ second }) => second)}::uuid[]) k (first, second)
  where r.user_id = k.first and r.other_id = k.second
    and not (r.follows or r.followed_by or r.blocks or r.blocked_by)`;
