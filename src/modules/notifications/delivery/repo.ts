/** SQL of the jobs that write notifications. */
import {
  deleteRows,
  insertRows,
  lockEach,
  rowsOf,
  type Statement,
  skipLockedUnless,
  sql,
  type Transaction,
} from '#pg';
import {
  type DeliveredKindName,
  type Level,
  type NotificationKind,
  pushPauseOf,
} from '../../../outbox/kinds.ts';

/** The number of notifications that an inbox holds; older ones are deleted. */
export const inboxSize = 200;

/** People in transactions of the jobs. Ids that are in neither set are deleted or suspended accounts. */
export type LockedPeople = {
  /** Share-locked: the account cannot be deleted or suspended until the transaction ends. */
  active: Set<string>;
  /** Another transaction deletes, suspends or restores the account, or changes its role. */
  busy: Set<string>;
};

/**
 * Share-locks accounts without waiting. The jobs hold rows of the outbox, for which the deletion of an account
 * waits while it holds the account, so they must not wait for accounts.
 */
export async function lockPeople(tx: Transaction, ids: string[]): Promise<LockedPeople> {
  const [locked, existing] = await Promise.all([
    lockEach(ids, String, (id) =>
      tx.query<{ isSuspended: boolean }>(sql`
        select suspended_at is not null as is_suspended from users where id = ${id}
        for key share ${skipLockedUnless(false)}`),
    ),
    tx.query<{ id: string }>(sql`select id from users where id = any(${ids}::uuid[])`),
  ]);
  const isActive = (id: string) => locked.get(id)?.[0]?.isSuspended === false;
  return {
    active: new Set(ids.filter(isActive)),
    busy: new Set(existing.flatMap(({ id }) => (locked.get(id)?.length ? [] : [id]))),
  };
}

/** What the writes depend on besides the notifications. */
export type Inboxes = {
  /** People whose inboxes may hold too many notifications after a batch, which adds at most 100 to each. */
  full: Set<string>;
  /** People with browsers to which pushes are sent. */
  withBrowsers: Set<string>;
};

export async function listInboxes(tx: Transaction, userIds: string[]): Promise<Inboxes> {
  const [full, withBrowsers] = await Promise.all([
    tx.query<{ userId: string }>(sql`
      select user_id from notifications where user_id = any(${userIds}::uuid[])
      group by user_id having count(*) > ${inboxSize / 2}`),
    tx.query<{ userId: string }>(sql`
      select distinct user_id from push_subscriptions where user_id = any(${userIds}::uuid[])`),
  ]);
  const toSet = (rows: { userId: string }[]) => new Set(rows.map(({ userId }) => userId));
  return { full: toSet(full), withBrowsers: toSet(withBrowsers) };
}

/** A recipient, and a person on whose account they would be notified. */
type PersonPair = { userId: string; otherId: string };
export const keyOfPersons = ({ userId, otherId }: PersonPair): string => `${userId} ${otherId}`;

/** The pairs of which one person blocks the other, as keys. */
export async function listBlockedPairs(tx: Transaction, pairs: PersonPair[]): Promise<Set<string>> {
  const rows = await tx.query<PersonPair>(sql`
    select distinct r.user_id, r.other_id
    from ${rowsOf('relations r', pairs, { userId: 'uuid', otherId: 'uuid' })}
    where r.blocks or r.blocked_by`);
  return new Set(rows.map(keyOfPersons));
}

export const keyOfSetting = (userId: string, kind: NotificationKind): string => `${userId} ${kind}`;

/** The levels that people set, by `keyOfSetting`. */
export async function listLevels(tx: Transaction, userIds: string[]): Promise<Map<string, Level>> {
  const rows = await tx.query<{ userId: string; kind: NotificationKind; level: Level }>(sql`
    select user_id, kind, level from notification_settings where user_id = any(${userIds}::uuid[])`);
  return new Map(rows.map(({ userId, kind, level }) => [keyOfSetting(userId, kind), level]));
}

type SubjectKey = { userId: string; kind: NotificationKind; subjectId: string };
export const keyOfNotification = ({ userId, kind, subjectId }: SubjectKey): string =>
  `${userId} ${kind} ${subjectId}`;

/** When the latest push of kinds with a pause was or is due, by `keyOfNotification`. */
export async function listPushTimes(
  tx: Transaction,
  { userIds, kinds }: { userIds: string[]; kinds: DeliveredKindName[] },
): Promise<Map<string, Date>> {
  const paused = kinds.filter((kind) => pushPauseOf(kind) !== null);
  if (paused.length === 0) return new Map();
  const rows = await tx.query<SubjectKey & { pushedAt: Date }>(sql`
    select user_id, kind, subject_id, max(pushed_at) as pushed_at from notifications
    where user_id = any(${userIds}::uuid[]) and kind = any(${paused}::text[]) and pushed_at is not null
    group by user_id, kind, subject_id`);
  return new Map(rows.map((row) => [keyOfNotification(row), row.pushedAt]));
}

/**
 * `count`: what is added to an unread notification of the kind and subject. `id`: its new id if that is positive. `since`: the
 * first notice or comment that it is about; an unread notification keeps an earlier one. `about`: the announcement, of which an
 * unread notification has the latest. `eventId`, `decision`: of a decision, as JSON. `pushedAt`: when its push is due, of a kind
 * with a pause.
 */
export type NewNotification = {
  id: string;
  userId: string;
  kind: NotificationKind;
  subjectId: string;
  personId: string | null;
  count: number;
  since: string | null;
  about: string | null;
  eventId: string | null;
  decision: string | null;
  pushedAt: Date | null;
};

/**
 * The statements that write notifications, each person, kind and subject at most once. The recipients must be
 * locked. An unread notification of the kind and subject gets the count added and, if that is positive, a new
 * id: it is the newest again. A count that falls to zero deletes it.
 *
 * Locks unread notifications in ascending order of person, kind and subject, so that concurrent jobs cannot
 * deadlock. The deletions lock only rows that this transaction has locked, and skip rows that others lock.
 */
export function writeNotifications(rows: NewNotification[], { full }: Inboxes, now: Date): Statement[] {
  if (rows.length === 0) return [];
  const userIds = [...new Set(rows.map(({ userId }) => userId))];
  const reduced = rows.filter(({ count }) => count < 0);
  return [
    sql`
    ${insertRows(
      'notifications as n',
      rows.map((row) => ({ ...row, createdAt: now })),
      {
        ...notificationKey,
        id: 'uuid',
        personId: 'uuid',
        count: 'int',
        since: 'uuid',
        about: 'uuid',
        eventId: 'uuid',
        decision: 'jsonb',
        pushedAt: 'timestamptz',
        createdAt: 'timestamptz',
      },
    )}
    order by 1, 2, 3
    on conflict (user_id, kind, subject_id) where read_at is null do update set
      count = n.count + excluded.count,
      person_id = coalesce(excluded.person_id, n.person_id),
      since = least(n.since, excluded.since),
      about = coalesce(excluded.about, n.about),
      event_id = coalesce(excluded.event_id, n.event_id),
      pushed_at = coalesce(excluded.pushed_at, n.pushed_at),
      id = case when excluded.count > 0 then excluded.id else n.id end,
      created_at = case when excluded.count > 0 then excluded.created_at else n.created_at end`,
    ...(reduced.length > 0 ? [deleteEmpty(reduced)] : []),
    ...userIds.filter((userId) => full.has(userId)).map(deleteOverflow),
  ];
}

const notificationKey = { userId: 'uuid', kind: 'text', subjectId: 'uuid' } as const;

const deleteEmpty = (rows: NewNotification[]): Statement =>
  deleteRows('notifications n', rows, notificationKey, sql`n.read_at is null and n.count <= 0`);

/** Deletes notifications of a person. Rows that another transaction locks are deleted next time. */
const deleteUnlocked = (userId: string, condition: Statement): Statement => sql`
  with unlocked as materialized (
    select id from notifications where user_id = ${userId} and ${condition} for update ${skipLockedUnless(false)}
  )
  delete from notifications n using unlocked u where n.user_id = ${userId} and n.id = u.id`;

/** Deletes the oldest notifications of a full inbox. */
export const deleteOverflow = (userId: string): Statement =>
  deleteUnlocked(
    userId,
    sql`id <= (select id from notifications where user_id = ${userId} order by id desc offset ${inboxSize} limit 1)`,
  );

/** The number of rows that one statement of maintenance deletes. */
const deletedAtOnce = 5_000;

/** Deletes old notifications that no other transaction locks. @returns whether there may be more */
export async function deleteOldNotifications(tx: Transaction, before: Date): Promise<boolean> {
  const old = await tx.query<{ userId: string }>(sql`
    select user_id from notifications where created_at < ${before} order by created_at limit ${deletedAtOnce}`);
  const userIds = old.map(({ userId }) => userId);
  const deleted = await lockEach(userIds, String, (userId) =>
    tx.execute(deleteUnlocked(userId, sql`created_at < ${before}`)),
  );
  return old.length === deletedAtOnce && [...deleted.values()].some((count) => count > 0);
}
