/** Locks the relations of many pairs of people. */

import { deleteRows, lockEach, skipLockedUnless, sql, type Transaction } from '#pg';
import type { RelationRow } from '../present.ts';

/** Two people, the smaller id first. This row locks their relation: the other one is written under its lock. */
export type Pair = { first: string; second: string };

export const pairOf = (one: string, other: string): Pair =>
  one < other ? { first: one, second: other } : { first: other, second: one };
export const keyOfPair = ({ first, second }: Pair): string => first + second;

/**
 * Selects a person and share-locks the row.
 * @param mayWaitForLocks waits for a row that another transaction locks; otherwise it is skipped
 */
export const selectLockedPerson = (id: string, mayWaitForLocks: boolean) => sql`
  select id from users where id = ${id} and guest_of is null for key share ${skipLockedUnless(mayWaitForLocks)}`;

/**
 * Locks the relations of `pairs`: until the transaction ends, no block is added or removed between the people, and no
 * account of them is deleted. A missing relation is inserted, so the same transaction must run `releasePairs` or write
 * the relation. The update changes nothing; it locks a relation that exists.
 * @returns relations from the view of `first`, by the key of the pair. A pair is missing if an account of it
 *   does not exist, or, unless `mayWaitForLocks`, if another transaction locks one of the accounts.
 */
export async function lockPairs(
  tx: Transaction,
  pairs: Pair[],
  mayWaitForLocks: boolean,
): Promise<Map<string, RelationRow>> {
  const locked = await lockEach(pairs, keyOfPair, ({ first, second }) =>
    tx.query<RelationRow>(sql`
      with one as materialized (${selectLockedPerson(first, mayWaitForLocks)}),
        other as materialized (${selectLockedPerson(second, mayWaitForLocks)})
      insert into relations as r (user_id, other_id, follows, followed_by, blocks, blocked_by)
      select one.id, other.id, false, false, false, false from one cross join other
      on conflict (user_id, other_id) do update set follows = r.follows
      returning follows, followed_by, blocks, blocked_by`),
  );
  return new Map([...locked].flatMap(([key, [row]]) => (row ? [[key, row] as const] : [])));
}

/** Deletes the relations of `pairs` that hold no follow and no block. */
export const releasePairs = (pairs: Pair[]) =>
  deleteRows(
    'relations r',
    pairs.map(({ first, second }) => ({ userId: first, otherId: second })),
    { userId: 'uuid', otherId: 'uuid' },
    sql`not (r.follows or r.followed_by or r.blocks or r.blocked_by)`,
  );
