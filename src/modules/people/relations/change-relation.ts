/** Changes what the caller has to do with another person: follow and block. */
import type { Transaction } from '#pg';
import { actAs } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import type { RelationRow } from '../present.ts';
import { changeRelation as writeRelation } from '../repo.ts';
import type { PeopleServices } from '../services.ts';
import { readUserId } from '../user-id.ts';

/**
 * Applies `change` to the relation between the caller and another person, under a lock on the relation.
 * @returns the number of followers of the other person
 * @throws Problem `user_not_found`, `self_relation`, and whatever `change` throws
 */
export async function changeRelation(
  { db }: PeopleServices,
  caller: Caller,
  userId: string,
  change: (relation: RelationRow, tx: Transaction) => RelationRow | Promise<RelationRow>,
): Promise<number> {
  const otherId = readUserId(userId);
  if (otherId === caller.id) throw new Problem('self_relation');
  return actAs(db, caller, (tx) => writeRelation(tx, caller.id, otherId, change));
}

/** @throws Problem `blocked` if one of the two blocked the other */
export function follow(relation: RelationRow): RelationRow {
  if (relation.blocks || relation.blockedBy) throw new Problem('blocked');
  return { ...relation, follows: true };
}

export const unfollow = (relation: RelationRow): RelationRow => ({ ...relation, follows: false });

/** Ends follows in both directions. */
export const block = (relation: RelationRow): RelationRow => ({
  ...relation,
  blocks: true,
  follows: false,
  followedBy: false,
});

/** Does not bring back follows that the block ended. */
export const unblock = (relation: RelationRow): RelationRow => ({ ...relation, blocks: false });
