/** Converts notification rows to the objects of responses. */
import { formatItemId, type ItemId } from '../../lib/ids.ts';
import { kinds, type Level, type NotificationKind, notificationKinds } from '../../outbox/kinds.ts';
import { coverUrlOf, type EventRow } from '../events/present.ts';
import type { Rsvp } from '../events/repo.ts';
import { type PersonRow, toPerson } from '../users/present.ts';
import type { BroughtItem, Notification, NotificationEvent, NotificationSettings } from './schemas.ts';

type Shown = Exclude<keyof NotificationEvent, 'id' | 'location'> | keyof NotificationEvent['location'];
type EventColumns = Pick<EventRow, Shown | 'coverTheme' | 'category'>;

/** The columns of the event are null if `eventId` is. */
export type NotificationRow = {
  id: string;
  kind: NotificationKind;
  createdAt: Date;
  isUnread: boolean;
  count: number;
  personId: string | null;
  isFollowing: boolean;
  eventId: string | null;
  /** Of `eventHidden`: the reason of the admin. */
  reason: string | null;
} & EventColumns;

export type BroughtItemRow = ItemId & Omit<BroughtItem, 'itemId'>;
export type AnswerRow = { eventId: string; userId: string; status: Rsvp };
/** `brought`, `answers`: of all notifications of a page. */
type Details = { person: PersonRow | null; brought: BroughtItemRow[]; answers: AnswerRow[] };

const toEvent = (id: string, row: EventColumns, publicUrl: string): NotificationEvent => ({
  ...row,
  id,
  coverUrl: coverUrlOf({ ...row, id }, publicUrl),
  location: row,
});

export function toNotification(
  row: NotificationRow,
  { person, brought, answers }: Details,
  publicUrl: string,
): Notification {
  const { kind, eventId, personId } = row;
  const isOfRow = (answer: AnswerRow) => answer.eventId === eventId && answer.userId === personId;
  const items = kind === 'reminder' ? brought.filter((item) => item.eventId === eventId) : [];
  return {
    ...row,
    isRead: !row.isUnread,
    person: person && toPerson(person, publicUrl),
    event: eventId === null ? null : toEvent(eventId, row, publicUrl),
    answer: (kind === 'rsvps' && answers.find(isOfRow)?.status) || null,
    bringing: items.map((item) => ({ ...item, itemId: formatItemId(item) })),
  };
}

/** The level of each kind: the one that the person set, or the default. */
export function toSettings(rows: { kind: NotificationKind; level: Level }[]): NotificationSettings {
  const levels = new Map(rows.map(({ kind, level }) => [kind, level]));
  return Object.fromEntries(
    notificationKinds.map((kind) => [kind, levels.get(kind) ?? kinds[kind].level]),
  ) as NotificationSettings;
}
