/** Deletes what people were or were to be notified of about an event. */
import { sql } from '../db/sql.ts';
import type { Transaction } from '../db/transaction.ts';

/**
 * Deletes the notifications about a deleted event, their causes, and the pushes of its summaries. The transaction must have deleted the event,
 * and with it its fan-outs: it has then waited for the jobs that worked on them, and no new causes can appear.
 */
export async function deleteEventNotifications(
  tx: Transaction,
  eventId: string,
  organizerId: string,
): Promise<void> {
  await tx.execute(sql`
    with locked as materialized (
      select user_id, kind, id from notification_causes where subject_id = ${eventId}
      order by user_id, kind, subject_id, id for update
    )
    delete from notification_causes c using locked l
    where c.user_id = l.user_id and c.kind = l.kind and c.subject_id = ${eventId} and c.id = l.id`);
  await tx.execute(sql`
    with locked as materialized (
      select user_id, id from notifications where subject_id = ${eventId}
      order by user_id, kind, subject_id, id for update
    )
    delete from notifications n using locked l where n.user_id = l.user_id and n.id = l.id`);
  await tx.execute(sql`
    with locked as materialized (
      select user_id, notification_id, subscription_id from push_deliveries
      where user_id = ${organizerId} and subject_id = ${eventId}
      order by user_id, notification_id, subscription_id for update
    )
    delete from push_deliveries d using locked l
    where d.user_id = l.user_id and d.notification_id = l.notification_id and d.subscription_id = l.subscription_id`);
}
