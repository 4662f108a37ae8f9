/** Turns the causes of the outbox into notifications. */
import type { Database } from '../../db/client.ts';
import { AdvisoryLock, lockEach, skipLockedUnless } from '../../db/locks.ts';
import { deleteRows } from '../../db/rows.ts';
import { type Statement, sql } from '../../db/sql.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import type { CauseKind } from '../../outbox/kinds.ts';
import {
  keyOfPersons,
  keyOfSetting,
  type LockedPeople,
  listBlockedPairs,
  listInboxes,
  listSwitchedOff,
  lockPeople,
  type NewNotification,
  writeNotifications,
} from './delivery-repo.ts';
import { insertDeliveries } from './push/push-repo.ts';

/** A row of `notification_causes`. */
type CauseRow = {
  userId: string;
  kind: CauseKind;
  subjectId: string;
  id: string;
  actorIds: string[];
  amounts: number[];
};

/** A cause has at most 128 actors: those of a batch of writes. */
const causesPerBatch = 100;

/** Delivers all causes that are committed, unless another server is doing so. */
export async function deliverCauses(db: Database, now: Date): Promise<void> {
  while (await deliverBatch(db, now));
}

/**
 * Delivers a batch of causes. One transaction locks the causes, writes the notifications and deletes the
 * causes, so each cause is delivered exactly once, also if the server is killed. One server delivers at a time.
 * @returns whether there may be more causes that can be delivered
 */
const deliverBatch = (db: Database, now: Date): Promise<boolean> =>
  transaction(db, async (tx, commit) => {
    const [isOurs, found] = await Promise.all([tryLockDelivery(tx), listCauseKeys(tx)]);
    if (!isOurs || found.length === 0) return false;
    const causes = await lockCauses(tx, found);
    const pairs = causes.flatMap(({ userId, actorIds }) => actorIds.map((otherId) => ({ userId, otherId })));
    const userIds = [...new Set(causes.map(({ userId }) => userId))];
    const [people, blocked, off, inboxes] = await Promise.all([
      lockPeople(tx, [...new Set([...userIds, ...pairs.map(({ otherId }) => otherId)])]),
      listBlockedPairs(tx, pairs),
      listSwitchedOff(tx, userIds),
      listInboxes(tx, userIds),
    ]);
    const ready = withoutBusy(causes, people);
    const notifications = toNotifications(ready, { people, blocked, off });
    await commit(
      ...writeNotifications(notifications, inboxes, now),
      ...insertDeliveries(notifications, inboxes, now),
      ...(ready.length > 0 ? [deleteCauses(ready)] : []),
    );
    return ready.length > 0 && found.length === causesPerBatch;
  });

/** The lock is taken before the causes are read, so they are the ones that the last delivery left. */
async function tryLockDelivery(tx: Transaction): Promise<boolean> {
  const [row] = await tx.query<{ isLocked: boolean }>(
    sql`select pg_try_advisory_xact_lock(${AdvisoryLock.delivery}) as is_locked`,
  );
  return row?.isLocked ?? false;
}

type CauseKey = Pick<CauseRow, 'userId' | 'kind' | 'subjectId' | 'id'>;

const listCauseKeys = (tx: Transaction): Promise<CauseKey[]> =>
  tx.query<CauseKey>(sql`
    select user_id, kind, subject_id, id from notification_causes
    order by user_id, kind, subject_id, id limit ${causesPerBatch}`);

/** Locks causes, a recipient at a time, and leaves out those that were deleted or that another transaction locks. */
async function lockCauses(tx: Transaction, keys: CauseKey[]): Promise<CauseRow[]> {
  const ids = Map.groupBy(keys, ({ userId }) => userId);
  const locked = await lockEach([...ids.keys()], String, (userId) =>
    tx.query<CauseRow>(sql`
      select user_id, kind, subject_id, id, actor_ids, amounts from notification_causes
      where user_id = ${userId} and id = any(${ids.get(userId)?.map(({ id }) => id) ?? []}::uuid[])
      order by kind, subject_id, id for update ${skipLockedUnless(false)}`),
  );
  return [...locked.values()].flat();
}

const deleteCauses = (causes: CauseRow[]): Statement =>
  deleteRows('notification_causes c', causes, {
    userId: 'uuid',
    kind: 'text',
    subjectId: 'uuid',
    id: 'uuid',
  });

const keyOf = ({ userId, kind, subjectId }: CauseRow): string => `${userId} ${kind} ${subjectId}`;

/** Causes without those of locked accounts, and without later ones of the same recipient, kind and subject. */
function withoutBusy(causes: CauseRow[], { busy }: LockedPeople): CauseRow[] {
  const held = new Set<string>();
  return causes.filter((cause) => {
    if ([cause.userId, ...cause.actorIds].some((id) => busy.has(id))) held.add(keyOf(cause));
    return !held.has(keyOf(cause));
  });
}

/** `blocked` and `off`: keys of pairs and of settings. */
type DeliveryState = { people: LockedPeople; blocked: Set<string>; off: Set<string> };

/** The notifications of causes: one for each recipient, kind and subject. */
function toNotifications(causes: CauseRow[], state: DeliveryState): NewNotification[] {
  const notifications = new Map<string, NewNotification>();
  for (const cause of causes) {
    const { userId, kind, subjectId, actorIds, amounts } = cause;
    if (!state.people.active.has(userId) || state.off.has(keyOfSetting(userId, kind))) continue;
    const key = keyOf(cause);
    const notification = notifications.get(key) ?? { userId, kind, subjectId, personId: null, count: 0 };
    for (const [i, actorId] of actorIds.entries()) {
      const amount = amounts[i] ?? 0;
      if (amount > 0 && !mayNotify(userId, kind, actorId, state)) continue;
      notification.count += amount;
      if (amount > 0) notification.personId = actorId;
    }
    notifications.set(key, notification);
  }
  return [...notifications.values()].filter(({ count }) => count !== 0);
}

/**
 * Whether a person is notified of what another person caused: not if the other is suspended, or if one of them blocks the
 * other. A booking from the waitlist is not caused by its organizer, so a block does not matter.
 */
function mayNotify(
  userId: string,
  kind: CauseKind,
  actorId: string,
  { people, blocked }: DeliveryState,
): boolean {
  if (!people.active.has(actorId)) return false;
  return kind === 'bookingConfirmed' || !blocked.has(keyOfPersons({ userId, otherId: actorId }));
}
