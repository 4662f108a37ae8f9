/** What notifications say of the changes of an event, from the notices of the outbox. */
import { type Queryable, rowsOf, sql } from '#pg';
import type { NotificationKind } from '../../outbox/kinds.ts';
import type { Notice, NoticedEvent } from '../../outbox/notices.ts';

/**
 * What decides what a notification says. `since`: the first notice that it is about. `about`, `text`: of the latest announcement;
 * null for other kinds, and if it was deleted.
 */
type Subject = {
  kind: NotificationKind;
  eventId: string | null;
  since: string | null;
  about: string | null;
  text: string | null;
  readAt: Date | null;
};
/** `message`: what the organizer writes about the change; null without words, or if they were deleted. */
export type NoticeRow = Notice & {
  eventId: string;
  id: string;
  kind: NotificationKind;
  message: string | null;
  createdAt: Date;
};

/** Lists the notices of the events of notifications that have any, the oldest first. */
export async function listNotices(db: Queryable, rows: Subject[]): Promise<NoticeRow[]> {
  const eventIds = new Set(rows.flatMap(({ eventId, since }) => (eventId && since ? [eventId] : [])));
  if (eventIds.size === 0) return [];
  const keys = [...eventIds].map((eventId) => ({ eventId }));
  return (
    await db.query<NoticeRow>(sql`
      select n.event_id, n.id, n.kind, n.before, n.after, n.only_going as is_only_for_going, a.text as message, n.created_at
      from ${rowsOf('event_notices n', keys, { eventId: 'uuid' })}
      left join announcements a on a.subject_id = n.event_id and a.id = n.id and a.status = 'sent'
      order by n.id`)
  ).map((notice) => ({ ...notice, before: readNoticed(notice.before), after: readNoticed(notice.after) }));
}

/** JSON has times as text. Notices that are older than `locationKind` lack it. */
const readNoticed = (event: NoticedEvent): NoticedEvent => ({
  ...event,
  locationKind: event.locationKind ?? 'place',
  startAt: new Date(event.startAt),
  endAt: new Date(event.endAt),
});

/** What differs of an event. `map`: the point on the map, with the same address. */
export const changedParts = ['title', 'time', 'address', 'map', 'status'] as const;
export type ChangedPart = (typeof changedParts)[number];

const valuesOf: Record<ChangedPart, (event: NoticedEvent) => unknown[]> = {
  title: ({ title }) => [title],
  time: ({ startAt, endAt, allDay, timezone }) => [startAt.getTime(), endAt.getTime(), allDay, timezone],
  address: ({ address, locationKind }) => [address, locationKind],
  map: ({ lat, lng }) => [lat, lng],
  status: ({ status }) => [status],
};

function partsOf(before: NoticedEvent, after: NoticedEvent): ChangedPart[] {
  const differing = changedParts.filter(
    (part) => String(valuesOf[part](before)) !== String(valuesOf[part](after)),
  );
  return differing.includes('address') ? differing.filter((part) => part !== 'map') : differing;
}

/** `parts`: what differs. */
export type Changes = { parts: ChangedPart[]; before: NoticedEvent; after: NoticedEvent };

/** `changes`: the event before the first and after the last change. `announcement`: the latest words to the guests. */
export type News = {
  changes: Changes | null;
  announcement: { id: string; text: string } | null;
};

const toChanges = (before: NoticedEvent, after: NoticedEvent, isMove: boolean): Changes => ({
  parts: isMove ? ['map'] : partsOf(before, after),
  before,
  after,
});

/**
 * What a notification says: of an unread one, all changes until now; of one that was read, those until then.
 * @param notices of all notifications of a page, the oldest first
 */
export function newsOf({ kind, eventId, since, about, text, readAt }: Subject, notices: NoticeRow[]): News {
  if (about !== null && text !== null) return { changes: null, announcement: { id: about, text } };
  const own = notices.filter(
    (notice) =>
      since !== null &&
      notice.eventId === eventId &&
      notice.kind === kind &&
      notice.id >= since &&
      (readAt === null || notice.createdAt <= readAt),
  );
  const [first, last] = [own[0], own.at(-1)];
  // Whoever is notified of a move alone goes; the notification of other changes may be that of anyone.
  const isMove = own.every(({ isOnlyForGoing }) => isOnlyForGoing);
  const written = own.findLast(
    ({ message, isOnlyForGoing }) => message !== null && (isMove || !isOnlyForGoing),
  );
  return {
    changes: first && last && kind === 'eventChanged' ? toChanges(first.before, last.after, isMove) : null,
    announcement: written?.message ? { id: written.id, text: written.message } : null,
  };
}
