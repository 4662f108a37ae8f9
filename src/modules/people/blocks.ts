/** Who blocked whom. Simultaneous requests share statements. */
import { createLoader, type Database, isOneOf, type Queryable, sql } from '#pg';

/** Whom each of these people blocked, or with `orBlockedBy` also who blocked them. */
export async function listBlocked(
  db: Queryable,
  userIds: string[],
  orBlockedBy: boolean,
): Promise<{ userId: string; otherId: string }[]> {
  const condition = orBlockedBy ? sql`(blocks or blocked_by)` : sql`blocks`;
  return await db.query<{ userId: string; otherId: string }>(sql`
    select user_id, other_id from relations where ${isOneOf(sql`user_id`, userIds)} and ${condition}`);
}

/** @param orBlockedBy whether also those count who blocked the person */
export const blockLoader = (db: Database, orBlockedBy: boolean): ((userId: string) => Promise<string[]>) =>
  createLoader(
    async (ids: string[]) => {
      const rows = Map.groupBy(await listBlocked(db, ids, orBlockedBy), ({ userId }) => userId);
      return ids.map((id) => rows.get(id)?.map(({ otherId }) => otherId) ?? []);
    },
    { keyOf: (id) => id },
  );
