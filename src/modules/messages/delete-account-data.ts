/** Account deletion: the person's conversations. */
import { lockEach, sql, type Transaction } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';

export const messageDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'conversations',
    run: async (tx, { userId, unseen }) => ({ unseen: await deleteConversations(tx, userId, unseen) }),
  },
];

/**
 * Deletes the person's conversations for both participants, with all messages. Locks the rows in key order: two
 * people with a conversation who delete their accounts at the same time lock the same rows.
 * @param unseen others whose conversation the person's own row no longer names
 * @returns the others whose conversation was not found
 */
async function deleteConversations(tx: Transaction, userId: string, unseen: string[]): Promise<string[]> {
  const known = await tx.query<{ otherId: string }>(
    sql`select other_id from conversations where user_id = ${userId}`,
  );
  const ids = [...known.map((row) => row.otherId), ...unseen];
  await lockEach(
    [...ids.map((id) => [userId, id]), ...ids.map((id) => [id, userId])],
    String,
    ([one, other]) =>
      tx.query(sql`select 1 from conversations where user_id = ${one} and other_id = ${other} for update`),
  );
  await tx.query(sql`delete from conversations where user_id = ${userId}`);
  const found = await tx.query<{ userId: string }>(sql`
    delete from conversations where user_id = any(${ids}::uuid[]) and other_id = ${userId} returning user_id`);
  return [...new Set(ids).difference(new Set(found.map(({ userId }) => userId)))];
}
