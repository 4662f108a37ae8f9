/** Turns causes into notifications, in the transaction of a job that takes the causes out of the outbox. */
import { newId } from '#base';
import { type Statement, sql, type Transaction } from '#pg';
import type { BaseServices } from '../../../http/services.ts';
import type { Cause } from '../../../outbox/causes.ts';
import type { Decision } from '../../../outbox/decisions.ts';
import {
  type Channel,
  countedKinds,
  type DeliveredKindName,
  kindsFromPeople,
  pushPauseOf,
  reaches,
} from '../../../outbox/kinds.ts';
import { insertPushes, type NewPush } from '../../../outbox/pushes.ts';
import { prepareNotificationMails } from '../mail/store-mails.ts';
import {
  keyOfNotification,
  keyOfPersons,
  keyOfSetting,
  listBlockedPairs,
  listInboxes,
  listLevels,
  listPushTimes,
  lockPeople,
  type NewNotification,
  writeNotifications,
} from './repo.ts';

/**
 * A cause of the outbox, or the one that a fan-out is for one of its recipients. `since`: what the notification begins with, the
 * first notice of a fan-out or the first comment. `about`: the announcement. `eventId`, `decision`: of a decision.
 */
export type DueCause = Omit<Cause, 'kind'> & {
  kind: DeliveredKindName;
  since?: string | null;
  about?: string | null;
  eventId?: string | null;
  decision?: Decision | null;
};

/** What the jobs need that deliver. `mailer`: whether mails are sent; without one, none are stored. */
export type DeliveryServices = Pick<BaseServices, 'db' | 'clock'> & { mailer: { isOn: boolean } };

/**
 * Locks the accounts of causes, without waiting, and reads what decides about their notifications. A suspended or
 * deleted account, a block or a kind that is switched off drops a cause.
 * @returns `isBusy`: whether another transaction locks an account of the cause, which must then stay in the outbox.
 *   `deliver`: the statements that write the notifications of causes, one for each recipient, kind and subject
 */
export async function prepareDelivery(
  tx: Transaction,
  { clock, mailer }: DeliveryServices,
  causes: DueCause[],
) {
  const now = clock();
  const pairs = causes.map(({ userId, actorId }) => ({ userId, otherId: actorId }));
  const keys = keysOf(causes);
  const { userIds } = keys;
  const [people, blocked, levels, inboxes, pushedAt, toMails] = await Promise.all([
    lockPeople(tx, [...new Set(pairs.flatMap(({ userId, otherId }) => [userId, otherId]))]),
    listBlockedPairs(tx, pairs),
    listLevels(tx, userIds),
    listInboxes(tx, userIds),
    listPushTimes(tx, keys),
    prepareNotificationMails(tx, keys, { hasMailer: mailer.isOn, now }),
  ]);
  const reachesPerson = ({ userId, kind }: DueNotification | DueCause, channel: Channel) =>
    reaches(kind, levels.get(keyOfSetting(userId, kind)), channel);
  const isDelivered = (cause: DueCause): boolean => {
    const { userId, kind, actorId, amount } = cause;
    if (!people.active.has(userId) || !reachesPerson(cause, 'inbox')) return false;
    if (amount < 0) return true;
    if (!people.active.has(actorId)) return false;
    if (!kindsFromPeople.includes(kind)) return true;
    return userId !== actorId && !blocked.has(keyOfPersons({ userId, otherId: actorId }));
  };
  return {
    isBusy: ({ userId, actorId }: DueCause): boolean => people.busy.has(userId) || people.busy.has(actorId),
    deliver: (ready: DueCause[]): Statement[] => {
      const notifications = toNotifications(ready.filter(isDelivered));
      const pushes = notifications
        .filter((row) => row.count > 0 && inboxes.withBrowsers.has(row.userId) && reachesPerson(row, 'push'))
        .flatMap((row) => toPush(row, pushedAt.get(keyOfNotification(row)), now) ?? []);
      const dueAt = new Map(pushes.map((push) => [push.id, push.dueAt]));
      const mailed = notifications.filter((row) => row.count > 0 && reachesPerson(row, 'mail'));
      return [
        ...writeNotifications(
          notifications.map((row) => ({ ...row, pushedAt: dueAt.get(row.id) ?? null })),
          inboxes,
          now,
        ),
        ...insertPushes(pushes, now),
        ...toMails(mailed.map(toMailed)),
      ];
    },
  };
}

type DueNotification = Omit<NewNotification, 'pushedAt'> & { kind: DeliveredKindName };

const keysOf = (causes: DueCause[]) => ({
  userIds: [...new Set(causes.map(({ userId }) => userId))],
  sourceIds: [...new Set(causes.map(({ actorId }) => actorId))],
  kinds: [...new Set(causes.map(({ kind }) => kind))],
});

/** A notification with a count above zero names the person who caused it. The mail of an announcement is about that one alone. */
const toMailed = ({ userId, kind, subjectId, about, personId }: DueNotification) => ({
  ...{ userId, kind, subjectId: about ?? subjectId },
  sourceId: personId ?? subjectId,
});

/**
 * The push of a notification that is written before it: the count is higher if others were unread.
 * @param pushedAt when the latest push of the kind and subject was or is due, of a kind with a pause
 * @returns null if the push that is due tells of it too
 */
function toPush(
  { userId, id, kind, subjectId, count }: DueNotification,
  pushedAt: Date | undefined,
  now: Date,
): NewPush | null {
  if (!countedKinds.includes(kind)) return { userId, id };
  const pauseMs = pushPauseOf(kind);
  if (pauseMs !== null) {
    if (pushedAt && pushedAt > now) return null;
    const dueAt = new Date(Math.max(now.getTime(), (pushedAt?.getTime() ?? 0) + pauseMs));
    return { userId, id, dueAt, counted: { kind, subjectId, isFirst: sql`true` } };
  }
  const isFirst = sql`exists (
    select 1 from notifications n where n.user_id = ${userId} and n.id = ${id} and n.count = ${count})`;
  return { userId, id, counted: { kind, subjectId, isFirst } };
}

/** One notification for each recipient, kind and subject, without those whose causes cancel each other out. */
function toNotifications(causes: DueCause[]): DueNotification[] {
  const notifications = new Map<string, DueNotification>();
  for (const {
    userId,
    kind,
    subjectId,
    actorId,
    amount,
    since = null,
    about = null,
    eventId = null,
    decision = null,
  } of causes) {
    const key = keyOfNotification({ userId, kind, subjectId });
    const earlier = notifications.get(key);
    notifications.set(key, {
      ...{ id: newId(), userId, kind, subjectId },
      personId: amount > 0 ? actorId : (earlier?.personId ?? null),
      count: (earlier?.count ?? 0) + amount,
      ...{ since: earlier?.since ?? since, about, eventId, decision: decision && JSON.stringify(decision) },
    });
  }
  return [...notifications.values()].filter(({ count }) => count !== 0);
}
