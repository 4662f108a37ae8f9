/** SQL of inboxes and settings. */
import { maxId, minId } from '#base';
import {
  type Database,
  empty,
  insertRows,
  type Queryable,
  rowsOf,
  type Statement,
  sql,
  type Transaction,
} from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import {
  adminKinds,
  kinds as allKinds,
  anonymousKinds,
  kindsFromPeople,
  kindsWithoutEvent,
  type Level,
  type NotificationKind,
  onceKinds,
} from '../../outbox/kinds.ts';
import { toldComments } from '../comments/told-comments.ts';
import { visibleCondition } from '../events/policy.ts';
import type { AnswerRow, BroughtItemRow, NotificationRow } from './present.ts';
import { readSummaries, unreadSummaries } from './summary-repo.ts';

/** Whether the recipient may not see the person of `notifications n`: across a block, or if they are suspended. */
const isPersonHidden = sql`(coalesce(r.blocks or r.blocked_by, false) or p.suspended_at is not null)`;
/** The notification of messages is unread as long as messages of the conversation are. */
const isUnread = sql`(n.read_at is null and (n.kind <> 'message' or coalesce(c.unread_count, 0) > 0))`;

/** Whether the announcement of an unread notification was deleted. */
const isDeleted = sql`(n.kind = 'announcement' and n.read_at is null and a.id is null)`;

/** Whether a newer notification names the same person for what a person does once: of an answer, the newest notification tells. */
const isRepeated = sql`(
  kind = any(${onceKinds}) and person_id is not null
  and row_number() over (partition by kind, subject_id, person_id order by id desc) > 1)`;

/**
 * FROM and WHERE of the notifications that the viewer sees: not those about events that the viewer may no
 * longer see, except what was decided about the viewer there, not those that an event is hidden which no admin hides any more, not those that come from a person who is suspended, who blocks the viewer or
 * whom the viewer blocks, not unread ones of deleted announcements, and those for admins only while the viewer is one. An inbox is
 * small, so reading all of it is cheap.
 * @param about the announcement to read in place of the latest one of each notification
 */
const visibleNotifications = (viewer: Viewer, about: string | null = null): Statement => sql`
  from (
    select id, user_id, kind, subject_id, person_id, created_at, read_at, since, about, event_id, decision,
      count - ${isRepeated}::int as count
    from (
      select id, user_id, kind, subject_id, person_id, count, created_at, read_at, since, about, event_id, decision
      from notifications where user_id = ${viewer.id} and kind <> 'comments'
      union all ${toldComments(viewer.id)}
      union all ${unreadSummaries(viewer.id)}
    ) i
  ) n
  left join events e on e.id = coalesce(n.event_id, n.subject_id) and n.kind <> all(${kindsWithoutEvent})
    and (n.decision is null or ${visibleCondition(viewer)})
  left join announcements a on a.subject_id = n.subject_id and a.id = ${about === null ? sql`n.about` : sql`${about}::uuid`}
    and a.status = 'sent' and n.kind = 'announcement'
  left join relations r on r.user_id = n.user_id and r.other_id = n.person_id
  left join users p on p.id = n.person_id
  left join conversations c on n.kind = 'message' and c.user_id = n.user_id and c.other_id = n.subject_id
  where n.count > 0
    and (n.kind = any(${kindsWithoutEvent}) or n.decision is not null or (e.id is not null and ${visibleCondition(viewer)}))
    and (n.kind <> 'eventHidden' or e.hidden_at is not null) and not ${isDeleted}
    and not (n.kind = any(${kindsFromPeople}) and ${isPersonHidden})
    and (n.kind <> all(${adminKinds})
      or exists (select 1 from users me where me.id = ${viewer.id} and me.role = 'admin'))`;

/**
 * Lists notifications, the newest first.
 * @param before the id of the last notification of the previous page; null for the first page
 */
export async function listNotifications(
  db: Database,
  viewer: Viewer,
  { before, limit, unreadOnly }: { before: string | null; limit: number; unreadOnly: boolean },
): Promise<NotificationRow[]> {
  return db.query<NotificationRow>(sql`
    ${selectNotifications(viewer)} and n.id < ${before ?? maxId}
      ${unreadOnly ? sql`and ${isUnread}` : empty}
    order by n.id desc limit ${limit}`);
}

/**
 * What names a notification: its id, or the kind and subject of one that counts, whose id changes. `about`: an announcement, which
 * need not be the latest one of the notification, but of which no notification was read since the time.
 */
export type NotificationKey =
  | { id: string }
  | { kind: NotificationKind; subjectId: string }
  | { about: string; notReadSince: Date };

/** Finds a notification that is unread; null if it is read, deleted or replaced, or the viewer may not see it. */
export async function findUnreadNotification(
  db: Database,
  viewer: Viewer,
  key: NotificationKey,
): Promise<NotificationRow | null> {
  const [row] = await db.query<NotificationRow>(
    sql`${selectNotifications(viewer, 'about' in key ? key.about : null)} and ${isNamed(viewer, key)} and ${isUnread}`,
  );
  return row ?? null;
}

function isNamed({ id }: Viewer, key: NotificationKey): Statement {
  if ('about' in key)
    return sql`a.id = ${key.about} and n.subject_id not in (
      select subject_id from notifications
      where user_id = ${id} and kind = 'announcement' and read_at >= ${key.notReadSince})`;
  return 'id' in key ? sql`n.id = ${key.id}` : sql`n.kind = ${key.kind} and n.subject_id = ${key.subjectId}`;
}

const selectNotifications = (viewer: Viewer, about: string | null = null): Statement => sql`
    select n.id, n.kind, n.created_at, ${isUnread} as is_unread,
      case when n.kind = 'message' and ${isUnread} then c.unread_count else n.count end as count,
      case when ${isPersonHidden} or n.kind = any(${anonymousKinds}) then null else n.person_id end as person_id,
      coalesce(r.follows, false) as is_following,
      e.id as event_id, coalesce(e.title, n.decision ->> 'title') as title, e.cover_url, e.cover_theme, e.category, e.start_at, e.end_at, e.all_day, e.timezone, e.address,
      e.lat, e.lng, e.is_exact, e.status, e.visibility,
      case when n.kind = 'eventHidden' then e.hidden_reason end as reason, n.since, a.id as about, a.text, n.read_at,
      n.decision
    ${visibleNotifications(viewer, about)}`;

export async function countUnread(db: Queryable, viewer: Viewer): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count ${visibleNotifications(viewer)} and ${isUnread}`);
  return row?.count ?? 0;
}

/** Lists what a person brings to events: their claims with the items. */
export async function listBroughtItems(
  db: Database,
  userId: string,
  eventIds: string[],
): Promise<BroughtItemRow[]> {
  if (eventIds.length === 0) return [];
  return db.query<BroughtItemRow>(sql`
    select c.event_id, c.n, i.kind, i.title, i.emoji, c.quantity
    from claims c join items i on i.event_id = c.event_id and i.n = c.n
    where c.user_id = ${userId} and c.event_id = any(${eventIds}::uuid[])
    order by c.event_id, c.n`);
}

const answersAndSeats = sql`
  select 'rsvps' as kind, event_id, user_id, status,
    case when status = 'going' then 1 + coalesce(extra_guests, 0) end as people from rsvps
  union all
  select 'bookings', event_id, user_id, null, seats from bookings where status = 'booked'`;
const answerKey = { eventId: 'uuid', userId: 'uuid' } as const;

/** Lists the RSVPs and bookings that people have at events now, each by the kind that tells of it. */
export async function listAnswers(
  db: Database,
  keys: { eventId: string; userId: string }[],
): Promise<AnswerRow[]> {
  if (keys.length === 0) return [];
  return db.query<AnswerRow>(sql`
    select r.kind, r.event_id, r.user_id, r.status, r.people
    from ${rowsOf({ rows: answersAndSeats, as: 'r' }, keys, answerKey)}`);
}

/** Marks one notification as read. @returns false if there is no such notification */
export async function markRead(tx: Transaction, userId: string, id: string, now: Date): Promise<boolean> {
  await readSummaries(tx, userId, { from: id, upTo: id }, now);
  const count = await tx.execute(sql`
    update notifications set read_at = coalesce(read_at, ${now}) where user_id = ${userId} and id = ${id}`);
  return count > 0;
}

/**
 * Marks the notifications up to a position as read. Locks them in the order in which `writeNotifications` locks
 * them: by kind and subject.
 */
export async function markReadUpTo(tx: Transaction, userId: string, id: string, now: Date): Promise<void> {
  await readSummaries(tx, userId, { from: minId, upTo: id }, now);
  await tx.execute(sql`
    with due as materialized (
      select id from notifications where user_id = ${userId} and id <= ${id} and read_at is null
      order by kind, subject_id for update
    )
    update notifications n set read_at = ${now} from due where n.user_id = ${userId} and n.id = due.id`);
}

/** The levels that the person set; the other kinds have the default. */
export async function listSettings(
  db: Queryable,
  userId: string,
): Promise<{ kind: NotificationKind; level: Level }[]> {
  return db.query(sql`select kind, level from notification_settings where user_id = ${userId}`);
}

export async function writeSettings(
  tx: Transaction,
  userId: string,
  settings: [kind: string, level: Level][],
): Promise<void> {
  const rows = settings.map(([kind, level]) => ({ userId, kind, level }));
  await tx.execute(sql`
    ${insertRows('notification_settings', rows, { userId: 'uuid', kind: 'text', level: 'text' })} order by 1, 2
    on conflict (user_id, kind) do update set level = excluded.level`);
}

/** Stops mails of kinds, and leaves the other channels as they are. Does nothing if the account is deleted. */
export async function stopMails(tx: Transaction, userId: string, kinds: NotificationKind[]): Promise<void> {
  const accounts = await tx.query(sql`select 1 from users where id = ${userId} for key share`);
  if (accounts.length === 0) return;
  const rows = kinds.map((kind) => ({ userId, kind, level: withoutMail[allKinds[kind].level] }));
  await tx.execute(sql`
    ${insertRows('notification_settings as t', rows, { userId: 'uuid', kind: 'text', level: 'text' })} order by 1, 2
    on conflict (user_id, kind) do update
    set level = case t.level when 'all' then 'push' when 'mail' then 'inbox' else t.level end`);
}

const withoutMail: Record<Level, Level> = {
  off: 'off',
  inbox: 'inbox',
  push: 'push',
  mail: 'inbox',
  all: 'push',
};
