/** Locks the relations of many pairs of people in one statement. */

import { skipLockedUnless } from '../../db/locks.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { RelationRow } from './present.ts';

/** Two people, the smaller id first. `changeRelation` locks their relation by this row. */
export type Pair = { first: string; second: string };

export const pairOf = (one: string, other: string): Pair =>
  one < other ? { first: one, second: other } : { first: other, second: one };
export const keyOfPair = ({ first, second }: Pair): string => first + second;

/**
 * Selects people and share-locks their rows.
 * @param mayWaitForLocks waits for rows that another transaction locks; otherwise they are skipped
 */
export const selectLockedPeople = (ids: string[], mayWaitForLocks: boolean) => sql`
  select id from users where id = any(${ids}::uuid[]) order by id for key share ${skipLockedUnless(mayWaitForLocks)}`;

/**
 * Locks the relations of `pairs` as `changeRelation` does: until the transaction ends, no block is added or
 * removed between the people, and no account of them is deleted. A missing relation is inserted, so the same
 * transaction must run `releasePairs`.
 * @returns relations from the view of `first`, by the key of the pair. A pair is missing if an account of it
 *   does not exist, or, unless `mayWaitForLocks`, if another transaction locks one of the accounts.
 */
export async function lockPairs(
  tx: Transaction,
  pairs: Pair[],
  mayWaitForLocks: boolean,
): Promise<Map<string, RelationRow>> {
  const firsts = pairs.map(({ first }) => first);
  const seconds = pairs.map(({ second }) => second);
  const rows = await tx.query<RelationRow & { userId: string; otherId: string }>(sql`
    with locked as materialized (
      ${selectLockedPeople([...firsts, ...seconds], mayWaitForLocks)}
    )
    insert into relations as r (user_id, other_id, follows, followed_by, blocks, blocked_by)
    select distinct k.first, k.second, false, false, false, false
    from unnest(${firsts}::uuid[], ${seconds}::uuid[]) k (first, second)
    join locked f on f.id = k.first join locked s on s.id = k.second
    order by 1, 2
    on conflict (user_id, other_id) do update set follows = r.follows
    returning user_id, other_id, follows, followed_by, blocks, blocked_by`);
  return new Map(rows.map((row) => [keyOfPair({ first: row.userId, second: row.otherId }), row]));
}

/** Deletes the relations of `pairs` that hold no follow and no block. */
export const releasePairs = (pairs: Pair[]) => sql`
  delete from relations r
  using unnest(${pairs.map(({ first }) => first)}::uuid[], ${pairs.map(({ second }) => second)}::uuid[]) k (first, second)
  where r.user_id = k.first and r.other_id = k.second
    and not (r.follows or r.followed_by or r.blocks or r.blocked_by)`;
