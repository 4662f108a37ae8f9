/** Deletes causes and notifications together with the event or the account that they are about. */
import { empty, lockEach, raw, type Statement, sql, type Transaction } from '#pg';

/**
 * Deletes the notifications about a deleted event, their causes, and the pushes of its summaries. The transaction must
 * have deleted the event, and with it its fan-outs: it has then waited for the jobs that worked on them, and no new
 * causes can appear.
 */
export async function deleteEventNotifications(
  tx: Transaction,
  eventId: string,
  organizerId: string,
): Promise<void> {
  for (const table of ['notification_causes', 'notifications'] as const)
    await lockAndDelete(tx, table, sql`(subject_id = ${eventId} or event_id = ${eventId})`);
  await tx.execute(sql`
    with locked as materialized (
      select user_id, notification_id, subscription_id from push_deliveries
      where user_id = ${organizerId} and subject_id = ${eventId}
      order by user_id, notification_id, subscription_id for update
    )
    delete from push_deliveries d using locked l
    where d.user_id = ${organizerId} and d.notification_id = l.notification_id
      and d.subscription_id = l.subscription_id`);
}

/**
 * Locks the rows of a condition in the order of LOCK_ORDER and of their keys, and deletes them.
 * @param keep a statement that takes some of the locked rows out of the condition
 */
export async function lockAndDelete(
  tx: Transaction,
  table: 'notification_causes' | 'notifications',
  condition: Statement,
  keep = empty,
): Promise<void> {
  const rows = await tx.query<Row>(
    sql`select user_id, kind, subject_id, id from ${raw(table)} where ${condition}`,
  );
  await lockEach(rows, keyOf, ({ userId, id }) =>
    tx.query(sql`select 1 from ${raw(table)} where user_id = ${userId} and id = ${id} for update`),
  );
  if (keep !== empty) await tx.execute(keep);
  await tx.execute(sql`delete from ${raw(table)} where ${condition}`);
}

type Row = { userId: string; kind: string; subjectId: string; id: string };
const keyOf = ({ userId, kind, subjectId, id }: Row): string => `${userId} ${kind} ${subjectId} ${id}`;
