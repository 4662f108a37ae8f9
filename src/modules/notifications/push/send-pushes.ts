/** Sends the pushes of notifications that are committed. */
import type { FastifyBaseLogger } from 'fastify';
import { keyedHash } from '#base';
import type { Database } from '#pg';
import { shorten } from '../../../lib/text.ts';
import { adminKinds } from '../../../outbox/kinds.ts';
import { listPeople } from '../../people/repo.ts';
import { listNotices, type News, newsOf } from '../notices.ts';
import type { NotificationRow } from '../present.ts';
import { findUnreadNotification } from '../repo.ts';
import { encryptPush } from './encrypt-push.ts';
import type { PostPush, PushResponse } from './post-push.ts';
import { PushPlaces } from './push-places.ts';
import {
  type Delivery,
  type DuePush,
  deleteSubscription,
  findDue,
  postpone,
  takeDelivery,
} from './push-repo.ts';
import { deriveVapidKeys } from './vapid-keys.ts';

export type PushContext = {
  db: Database;
  clock: () => Date;
  config: { secretKey: string; publicUrl: string };
  log: Pick<FastifyBaseLogger, 'info'>;
};

const maxAttempts = 4;
const firstRetryMs = 30_000;
const maxRetryMs = 60 * 60_000;

/**
 * Sends all pushes that are due and that no other server sends. Of each person, one is sent at a time.
 * @param places remembers the services that answer, from one call to the next
 */
export async function sendPushes(
  context: PushContext,
  post: PostPush,
  places = new PushPlaces(),
): Promise<void> {
  const { db, clock } = context;
  const sending = new Set<Promise<void>>();
  let [hasFailed, ended] = [false, 0];
  const takeAndSend = async (push: DuePush): Promise<void> => {
    const delivery = await takeDelivery(db, clock(), push);
    if (!delivery) return;
    const observed: PostPush = (request) => places.observe(push.host, () => post(request));
    await sendPush(context, delivery, observed).catch((error) => reportFailure(context, delivery, error));
  };
  for (;;) {
    const endedBefore = ended;
    const due = hasFailed ? [] : places.take(await findDue(db, clock(), places.excluded()));
    for (const push of due) {
      const sent = takeAndSend(push)
        .catch(() => {
          // The push is still in the table, for the next call.
          hasFailed = true;
        })
        .finally(() => {
          ended++;
          places.free(push);
          sending.delete(sent);
        });
      sending.add(sent);
    }
    // Other pushes may be behind those that were found, or have a place since a push has ended.
    if (due.length > 0 || ended > endedBefore) continue;
    if (sending.size === 0) return;
    await Promise.race(sending);
  }
}

async function sendPush(context: PushContext, delivery: Delivery, post: PostPush): Promise<void> {
  const { db, config } = context;
  const { userId, notificationId, subscriptionId, kind, subjectId } = delivery;
  // Not sent: what the person has read meanwhile, may no longer see, or what a newer notification replaced.
  const key = kind && subjectId ? { kind, subjectId } : { id: notificationId };
  const row = await findUnreadNotification(db, { id: userId, role: 'user' }, key);
  if (!row) return;
  const [[person], notices] = await Promise.all([
    row.personId === null ? [] : listPeople(db, [row.personId]),
    listNotices(db, [row]),
  ]);
  const { announcement } = newsOf(row, notices);
  const payload = toPayload(row, person?.name ?? null, announcement);
  const request = encryptPush(delivery, JSON.stringify(payload), {
    keys: deriveVapidKeys(config.secretKey),
    subject: config.publicUrl,
    topic: topicOf(config.secretKey, row),
  });
  const response = await post(request).catch((error: Error) => error);
  if (!(response instanceof Error) && response.status < 300) return;
  reportFailure(context, delivery, response);
  if (response instanceof Error || response.status === 429 || response.status >= 500) {
    if (delivery.attempts + 1 < maxAttempts)
      await postpone(db, delivery, retryAt(context, delivery, response));
  } else if (response.status === 404 || response.status === 410) {
    await deleteSubscription(db, userId, subscriptionId);
  }
}

/** The address at the push service is a secret of the browser, so the log has only the host. */
function reportFailure({ log }: PushContext, { endpoint }: Delivery, reason: PushResponse | Error): void {
  const { hostname } = new URL(endpoint);
  const fields = reason instanceof Error ? { err: reason } : { status: reason.status };
  log.info({ ...fields, service: hostname }, 'a push could not be sent');
}

/** Characters of the organizer's words. */
const maxWords = 200;

/** What the service worker of the browser shows. Short: push services accept about 4,000 bytes. */
const toPayload = (row: NotificationRow, personName: string | null, announcement: News['announcement']) => ({
  id: row.id,
  kind: row.kind,
  count: row.count,
  person: personName === null ? null : { id: row.personId, name: personName },
  event:
    row.eventId === null
      ? null
      : { id: row.eventId, title: row.title, startAt: row.startAt, timezone: row.timezone },
  decision: row.decision,
  announcement: announcement && { ...announcement, text: shorten(announcement.text, maxWords) },
});

/** Equal for notifications that replace each other. A hash, because push services see the topic. */
const topicOf = (secretKey: string, { kind, eventId, personId }: NotificationRow): string =>
  keyedHash(secretKey, 'push topic', `${kind} ${adminKinds.includes(kind) ? '' : (eventId ?? personId)}`)
    .toString('base64url')
    .slice(0, 32);

/** `Retry-After` of the push service, or twice the wait before; at most an hour. */
function retryAt({ clock }: PushContext, { attempts }: Delivery, response: PushResponse | Error): Date {
  const now = clock().getTime();
  const asked = response instanceof Error ? Number.NaN : readRetryAfter(response.retryAfter, now);
  const waitMs = asked > 0 ? asked : firstRetryMs * 2 ** attempts;
  return new Date(now + Math.min(waitMs, maxRetryMs));
}

/** Milliseconds; NaN if the header is missing or malformed. It has seconds or a date. */
const readRetryAfter = (value = '', now: number): number =>
  /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
