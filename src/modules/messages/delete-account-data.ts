/** Account deletion: the person's conversations. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { DeletionHook } from '../../http/define-module.ts';

export const messageDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'conversations',
    run: async (tx, { userId }) => {
      await deleteConversations(tx, userId);
      return {};
    },
  },
];

/**
 * Deletes the person's conversations for both participants, with all messages. Locks the rows in key order: two
 * people with a conversation who delete their accounts at the same time lock the same rows.
 */
async function deleteConversations(tx: Transaction, userId: string): Promise<void> {
  const known = await tx.query<{ otherId: string }>(
    sql`select other_id from conversations where user_id = ${userId}`,
  );
  const ids = known.map((row) => row.otherId);
  await tx.query(sql`
    select 1 from conversations
    where user_id = ${userId} or (user_id = any(${ids}::uuid[]) and other_id = ${userId})
    order by user_id, other_id for update`);
  await tx.query(sql`delete from conversations where user_id = ${userId}`);
  await tx.query(sql`delete from conversations where user_id = any(${ids}::uuid[]) and other_id = ${userId}`);
}
