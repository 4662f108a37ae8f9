/** Stores the pushes of notifications, in the transaction that writes the notifications. A job sends them. */
import { type Statement, sql } from '#pg';
import type { NotificationKind } from './kinds.ts';

/**
 * `counted`: what the push is about if its notification counts, and so changes its id while it is unread. `isFirst`: a
 * condition on `push_subscriptions p`, that nothing was unread before.
 */
export type NewPush = {
  userId: string;
  id: string;
  /** When it is sent; now, if it is left out. */
  dueAt?: Date;
  counted?: { kind: NotificationKind; subjectId: string; isFirst: Statement };
};

/**
 * The statements that store pushes of notifications, one for each browser of the recipient. Subscriptions that another
 * transaction is deleting are skipped, so the statements wait for nothing.
 */
export const insertPushes = (pushes: NewPush[], now: Date): Statement[] =>
  pushes.map(
    ({ userId, id, dueAt = now, counted }) => sql`
    insert into push_deliveries (user_id, notification_id, subscription_id, kind, subject_id, attempts, due_at)
    select p.user_id, ${id}::uuid, p.id, ${counted?.kind ?? null}::text, ${counted?.subjectId ?? null}::uuid, 0, ${dueAt}::timestamptz
    from push_subscriptions p where p.user_id = ${userId} and ${counted?.isFirst ?? sql`true`} order by p.id for key share skip locked`,
  );
