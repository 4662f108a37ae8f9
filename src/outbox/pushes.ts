/** Stores the pushes of notifications, in the transaction that writes the notifications. A job sends them. */
import { type Statement, sql } from '../db/sql.ts';
import type { SummaryKind } from './kinds.ts';

/** `summary`: what the push is about if its notification is a summary, whose id changes while it is unread. */
export type NewPush = { userId: string; id: string; summary?: { kind: SummaryKind; eventId: string } };

/**
 * The statements that store pushes of notifications, one for each browser of the recipient. Subscriptions that another
 * transaction is deleting are skipped, so the statements wait for nothing.
 */
export const insertPushes = (pushes: NewPush[], now: Date): Statement[] =>
  pushes.map(
    ({ userId, id, summary }) => sql`
    insert into push_deliveries (user_id, notification_id, subscription_id, kind, subject_id, attempts, due_at)
    select p.user_id, ${id}::uuid, p.id, ${summary?.kind ?? null}::text, ${summary?.eventId ?? null}::uuid, 0, ${now}::timestamptz
    from push_subscriptions p where p.user_id = ${userId} order by p.id for key share skip locked`,
  );
