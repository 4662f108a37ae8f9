/** Partitions of messages, and the deletion of old messages where the operator has switched it on. */
import { minId } from '#base';
import {
  createPartitions,
  type Database,
  deleteOlderThan,
  type PartitionedTable,
  sql,
  transaction,
} from '#pg';
import type { Participants } from './present.ts';

/**
 * A page of a short conversation reads an index of each partition. Without a retention time, their number grows for
 * ever, so there is one for each year.
 */
const messageTable = (retentionDays: number | null): PartitionedTable => ({
  name: 'messages',
  references: 'conversations',
  key: 'user_id',
  months: retentionDays === null ? 12 : 3,
});

/**
 * Creates partitions for the time to come, and deletes the messages that are older than `retentionDays`.
 * @param retentionDays null: messages stay
 */
export async function maintainMessages(db: Database, now: Date, retentionDays: number | null): Promise<void> {
  const table = messageTable(retentionDays);
  await createPartitions(db, table, now);
  if (retentionDays === null) return;
  const firstId = await deleteOlderThan(db, table, now, retentionDays);
  await deleteEmptyConversations(db, firstId);
  await recountUnread(db, firstId);
}

/** The number of conversations that one statement changes. */
const atOnce = 1_000;

/**
 * Deletes conversations whose newest message is older than `firstId`. Both sides have the same newest message and
 * change it in one transaction, so both are deleted, or none if a message arrives meanwhile.
 */
async function deleteEmptyConversations(db: Database, firstId: string): Promise<void> {
  for (;;) {
    const found = await db.query<Participants>(sql`
      select user_id, other_id from conversations where last_id < ${firstId} limit ${atOnce}`);
    if (found.length === 0) return;
    await transaction(db, (tx) =>
      Promise.all(
        bothSides(found).map(({ userId, otherId }) =>
          tx.execute(sql`
            delete from conversations where user_id = ${userId} and other_id = ${otherId} and last_id < ${firstId}`),
        ),
      ),
    );
  }
}

/** Both rows of each conversation, once and in key order, as `LOCK_ORDER` demands. */
function bothSides(found: Participants[]): Participants[] {
  const sides = found.flatMap(({ userId, otherId }) => [
    { userId, otherId },
    { userId: otherId, otherId: userId },
  ]);
  const byKey = new Map(sides.map((side) => [side.userId + side.otherId, side]));
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, side]) => side);
}

/**
 * Counts the unread messages of conversations that may have lost some, and marks as read what is gone, so that
 * they are not counted again. The first statement locks the row, the second reads what was committed before: a
 * message that is sent meanwhile raises the new count.
 */
async function recountUnread(db: Database, firstId: string): Promise<void> {
  for (;;) {
    const found = await db.query<Participants>(sql`
      select user_id, other_id from conversations
      where unread_count > 0 and coalesce(read_id, ${minId}) < ${firstId}
      limit ${atOnce}`);
    if (found.length === 0) return;
    const rows = found.sort((a, b) => (a.userId + a.otherId < b.userId + b.otherId ? -1 : 1));
    await transaction(db, (tx) =>
      Promise.all(
        rows.flatMap(({ userId, otherId }) => [
          tx.query(sql`
            select 1 from conversations where user_id = ${userId} and other_id = ${otherId} for update`),
          tx.execute(sql`
            update conversations c set read_id = greatest(coalesce(c.read_id, ${minId}), ${firstId}::uuid), unread_count = (
              select count(*) from messages m where m.user_id = ${userId} and m.other_id = ${otherId}
                and not m.is_own and m.id > greatest(coalesce(c.read_id, ${minId}), ${firstId}::uuid))
            where c.user_id = ${userId} and c.other_id = ${otherId}`),
        ]),
      ),
    );
  }
}
