/** Decides who may send messages to a person, and who may read conversations with them. */
import { RETRY_INDIVIDUALLY } from '../../db/run-batch.ts';
import { Problem } from '../../lib/errors.ts';
import type { People } from '../users/people.ts';
import type { RelationRow } from '../users/present.ts';

/** @throws Problem `user_not_found` if the account does not exist, or `people` hides it */
export async function requirePerson(people: People, id: string): Promise<void> {
  if (!(await people.find(id))) throw new Problem('user_not_found');
}

/**
 * Decides whether two people may send messages to each other. A block in either direction forbids it.
 * @param relation undefined if `lockPairs` did not lock it
 * @returns null if they may; otherwise the Problem, or `RETRY_INDIVIDUALLY` if another transaction holds the
 *   lock
 */
export function refuseMessage(
  relation: RelationRow | undefined,
  mayWaitForLocks: boolean,
): Problem | typeof RETRY_INDIVIDUALLY | null {
  if (!relation) return mayWaitForLocks ? new Problem('user_not_found') : RETRY_INDIVIDUALLY;
  return relation.blocks || relation.blockedBy ? new Problem('blocked') : null;
}
