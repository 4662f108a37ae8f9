/** SQL of web push. */
import { hash } from 'node:crypto';
import { dayMs, newId } from '#base';
import { type Database, sql, type Transaction } from '#pg';
import type { Caller } from '../../../identity/caller.ts';
import type { NotificationKind } from '../../../outbox/kinds.ts';
import type { BrowserSubscription } from './encrypt-push.ts';
import type { Candidate, Excluded } from './push-places.ts';

/** The number of subscriptions of a person; the oldest make room for new ones. */
export const maxSubscriptions = 20;

const hashOf = (endpoint: string): Buffer => hash('sha256', endpoint, 'buffer');

/**
 * Stores the subscription of the caller's session, in place of an earlier one. A browser that another person
 * used before no longer gets that person's pushes. Two people who store the same endpoint at the same time
 * wait for each other at an advisory lock, and requests of one person at the account.
 * @returns the id
 */
export async function storeSubscription(
  tx: Transaction,
  { id: userId, sessionId }: Caller,
  { endpoint, p256dh, auth }: BrowserSubscription,
  now: Date,
): Promise<string> {
  const endpointHash = hashOf(endpoint);
  await tx.query(sql`select 1 from users where id = ${userId} for no key update`);
  // Two integers, as for the idempotency keys.
  await tx.query(sql`
    select pg_advisory_xact_lock(${endpointHash.readInt32BE(0)}::int, ${endpointHash.readInt32BE(4)}::int)`);
  await tx.execute(sql`
    delete from push_subscriptions
    where endpoint_hash = ${endpointHash} and (user_id, session_id) <> (${userId}, ${sessionId})`);
  const [row] = await tx.query<{ id: string }>(sql`
    insert into push_subscriptions (user_id, id, session_id, endpoint, endpoint_hash, p256dh, auth, created_at)
    values (${userId}, ${newId()}, ${sessionId}, ${endpoint}, ${endpointHash}, ${p256dh}, ${auth}, ${now})
    on conflict (user_id, session_id) do update set endpoint = excluded.endpoint,
      endpoint_hash = excluded.endpoint_hash, p256dh = excluded.p256dh, auth = excluded.auth
    returning id`);
  await tx.execute(sql`
    delete from push_subscriptions where user_id = ${userId} and id in (
      select id from push_subscriptions where user_id = ${userId} order by id desc offset ${maxSubscriptions})`);
  return row?.id ?? '';
}

/** @returns false if the person has no subscription with this id */
export async function deleteSubscription(
  db: Pick<Database, 'execute'>,
  userId: string,
  id: string,
): Promise<boolean> {
  const count = await db.execute(
    sql`delete from push_subscriptions where user_id = ${userId} and id = ${id}`,
  );
  return count > 0;
}

/** A push that is to be sent. */
export type Delivery = {
  userId: string;
  notificationId: string;
  subscriptionId: string;
  /** Of a notification that counts: it is sent as it is now. Null for other kinds. */
  kind: NotificationKind | null;
  subjectId: string | null;
  attempts: number;
} & BrowserSubscription;

/** A push that is due. */
export type DuePush = Pick<Delivery, 'userId' | 'notificationId' | 'subscriptionId'> & Candidate;

/** The number of rows that a server looks through for pushes of different people. */
const rowsToSearch = 100;

/** Finds the pushes that have been due for longest, without the excluded ones. The host of an endpoint has no port. */
export const findDue = (db: Database, now: Date, { userIds, services }: Excluded): Promise<DuePush[]> =>
  db.query<DuePush>(sql`
    select d.user_id, d.notification_id, d.subscription_id, split_part(s.endpoint, '/', 3) as host
    from push_deliveries d
    join push_subscriptions s on s.user_id = d.user_id and s.id = d.subscription_id
    where d.due_at <= ${now} and d.due_at > ${oldestOf(now)} and d.user_id <> all(${userIds}::uuid[])
      and (split_part(s.endpoint, '/', 3) = any(${services.hosts}::text[])) = ${services.isAllowed}::boolean
    order by d.due_at limit ${rowsToSearch}`);

/**
 * Takes a push out of the table. A push that is taken is never sent a second time, also if the server is killed before
 * it sends it: of two servers, the second finds no row to delete, or one that the first has postponed.
 * @returns null if another server has taken it
 */
export async function takeDelivery(
  db: Database,
  now: Date,
  { userId, notificationId, subscriptionId }: DuePush,
): Promise<Delivery | null> {
  const [delivery] = await db.query<Delivery>(sql`
    delete from push_deliveries d using push_subscriptions s
    where d.user_id = ${userId} and d.notification_id = ${notificationId}
      and d.subscription_id = ${subscriptionId} and s.user_id = d.user_id and s.id = d.subscription_id
      and d.due_at <= ${now}
    returning d.user_id, d.notification_id, d.subscription_id, d.kind, d.subject_id, d.attempts,
      s.endpoint, s.p256dh, s.auth`);
  return delivery ?? null;
}

/** A push that could not be sent for a day, because no server was running, tells nothing new any more. */
const oldestOf = (now: Date): Date => new Date(now.getTime() - dayMs);

/** Deletes pushes that are too old to be sent. */
export async function deleteOldDeliveries(db: Database, now: Date): Promise<void> {
  await db.execute(sql`delete from push_deliveries where due_at <= ${oldestOf(now)}`);
}

/** Stores a push again, to be sent at `dueAt`. Does nothing if the subscription is deleted. */
export async function postpone(db: Database, delivery: Delivery, dueAt: Date): Promise<void> {
  const { userId, notificationId, subscriptionId, kind, subjectId, attempts } = delivery;
  await db.execute(sql`
    insert into push_deliveries (user_id, notification_id, subscription_id, kind, subject_id, attempts, due_at)
    select user_id, ${notificationId}::uuid, id, ${kind}::text, ${subjectId}::uuid, ${attempts + 1}::int,
      ${dueAt}::timestamptz
    from push_subscriptions
    where user_id = ${userId} and id = ${subscriptionId} for key share
    on conflict do nothing`);
}
