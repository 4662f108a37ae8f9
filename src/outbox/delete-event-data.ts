/** Deletes what people were or were to be notified of about an event. */
import { lockEach } from '../db/locks.ts';
import { sql } from '../db/sql.ts';
import type { Transaction } from '../db/transaction.ts';

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
  const causes = await tx.query<Row>(sql`
    select user_id, kind, id from notification_causes where subject_id = ${eventId}`);
  await lockEach(causes, keyOf, ({ userId, kind, id }) =>
    tx.query(sql`
      select 1 from notification_causes
      where user_id = ${userId} and kind = ${kind} and subject_id = ${eventId} and id = ${id} for update`),
  );
  await tx.execute(sql`delete from notification_causes where subject_id = ${eventId}`);
  const notifications = await tx.query<Row>(sql`
    select user_id, kind, id from notifications where subject_id = ${eventId}`);
  await lockEach(notifications, keyOf, ({ userId, id }) =>
    tx.query(sql`select 1 from notifications where user_id = ${userId} and id = ${id} for update`),
  );
  await tx.execute(sql`delete from notifications where subject_id = ${eventId}`);
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

type Row = { userId: string; kind: string; id: string };
const keyOf = ({ userId, kind, id }: Row): string => `${userId} ${kind} ${id}`;
