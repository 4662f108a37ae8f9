/** Account deletion: the account itself, and its relations to other people. */
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { DeletionHook } from '../../http/define-module.ts';
import { changedPeople } from '../../identity/changed-people.ts';

export const userDeletionHooks: DeletionHook[] = [
  {
    // Waits for writes in the person's name, which hold a share lock on the row (actAs). Later writes fail.
    firstTable: 'users',
    run: async (tx, { userId }) => {
      await tx.query(sql`select 1 from users where id = ${userId} for update`);
      return { records: [changedPeople([userId])] };
    },
  },
  {
    firstTable: 'relations',
    run: async (tx, { userId }) => {
      await deleteRelations(tx, userId);
      return {};
    },
  },
];

async function deleteRelations(tx: Transaction, userId: string): Promise<void> {
  const known = await tx.query<{ otherId: string }>(
    sql`select other_id from relations where user_id = ${userId}`,
  );
  const ids = known.map((row) => row.otherId);
  await tx.query(sql`
    select 1 from relations
    where (user_id = ${userId}) or (user_id = any(${ids}::uuid[]) and other_id = ${userId})
    order by user_id, other_id for update`);
  // The counters change by the rows that exist under the lock: one of the others may have just deleted their
  // account.
  const gone = await tx.query<{ otherId: string; follows: number; followedBy: number }>(sql`
    delete from relations where user_id = ${userId}
    returning other_id, follows::int as follows, followed_by::int as followed_by`);
  await tx.query(sql`delete from relations where user_id = any(${ids}::uuid[]) and other_id = ${userId}`);
  await tx.query(
    sql`select 1 from user_counters where user_id = any(${ids}::uuid[]) order by user_id for update`,
  );
  await tx.query(sql`
    update user_counters c
    set followers_count = followers_count - gone.follows, following_count = following_count - gone.followed_by
    from unnest(${gone.map((row) => row.otherId)}::uuid[], ${gone.map((row) => row.follows)}::int[],
      ${gone.map((row) => row.followedBy)}::int[]) gone (other_id, follows, followed_by)
    where c.user_id = gone.other_id`);
}

/**
 * Deletes the account, after all hooks. Foreign keys delete the rows that depend on it alone, such as
 * sessions, imports and counters. Without a session, every token of the person is invalid on every server.
 */
export async function deleteUser(tx: Transaction, userId: string): Promise<void> {
  await tx.query(
    sql`delete from phones where user_id = ${userId} and phone = (select phone from users where id = ${userId})`,
  );
  await tx.query(sql`
    delete from usernames
    where user_id = ${userId} and username = (select username from users where id = ${userId})`);
  await tx.query(sql`delete from users where id = ${userId}`);
}
