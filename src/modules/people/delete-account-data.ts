/** Account deletion: the relations of the person to other people. */
import { inChunks } from '#base';
import { lockEach, sql, type Transaction, updateRows } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';

export const peopleDeletionHooks: DeletionHook[] = [
  {
    firstTable: 'relations',
    run: async (tx, { userId, unseen }) => ({ unseen: await deleteRelations(tx, userId, unseen) }),
  },
];

/**
 * Deletes both rows of each relation. The person's own row exists once both are committed on the node of the account,
 * so it names all others.
 * @param unseen others whose own row is gone already
 * @returns the others whose row about the person was not found
 */
async function deleteRelations(tx: Transaction, userId: string, unseen: string[]): Promise<string[]> {
  const known = await tx.query<{ otherId: string }>(
    sql`select other_id from relations where user_id = ${userId}`,
  );
  const ids = [...known.map((row) => row.otherId), ...unseen];
  await lockEach(
    [...ids.map((id) => [userId, id]), ...ids.map((id) => [id, userId])],
    String,
    ([one, other]) =>
      tx.query(sql`select 1 from relations where user_id = ${one} and other_id = ${other} for update`),
  );
  // The counters change by the rows that exist under the lock: one of the others may have just deleted their
  // account.
  const gone = await tx.query<{ otherId: string; follows: number; followedBy: number }>(sql`
    delete from relations where user_id = ${userId}
    returning other_id, follows::int as follows, followed_by::int as followed_by`);
  const found = await tx.query<{ userId: string }>(sql`
    delete from relations where user_id = any(${ids}::uuid[]) and other_id = ${userId} returning user_id`);
  await lockEach(ids, String, (id) =>
    tx.query(sql`select 1 from user_counters where user_id = ${id} for update`),
  );
  for (const some of inChunks(gone)) {
    const counted = some.map(({ otherId, ...moves }) => ({ userId: otherId, ...moves }));
    await tx.query(
      updateRows(
        'user_counters c',
        counted,
        { userId: 'uuid' },
        { follows: 'int', followedBy: 'int' },
        sql`followers_count = c.followers_count - k.follows, following_count = c.following_count - k.followed_by`,
      ),
    );
  }
  return [...new Set(ids).difference(new Set(found.map(({ userId }) => userId)))];
}
