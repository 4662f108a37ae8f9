/** Converts notification rows to the objects of responses. */
import { formatItemId, type ItemId } from '../../lib/ids.ts';
import { kinds, type Level, type NotificationKind, notificationKinds } from '../../outbox/kinds.ts';
import { coverUrlOf, type EventRow, locationOf } from '../events/present.ts';
import { type PersonRow, toPerson } from '../users/present.ts';
import type { BroughtItem, Notification, NotificationEvent, NotificationSettings } from './schemas.ts';

type EventColumns = Pick<
  EventRow,
  | 'title'
  | 'coverUrl'
  | 'coverTheme'
  | 'category'
  | 'startAt'
  | 'endAt'
  | 'allDay'
  | 'timezone'
  | 'address'
  | 'lat'
  | 'lng'
  | 'isExact'
  | 'status'
>;

/** The columns of the event are null if `eventId` is. */
export type NotificationRow = {
  id: string;
  kind: NotificationKind;
  createdAt: Date;
  isUnread: boolean;
  count: number;
  personId: string | null;
  eventId: string | null;
} & EventColumns;

export type BroughtItemRow = ItemId & { title: string; emoji: string; quantity: number };

const toEvent = (id: string, row: EventColumns, publicUrl: string): NotificationEvent => ({
  id,
  title: row.title,
  coverUrl: coverUrlOf({ ...row, id }, publicUrl),
  startAt: row.startAt.toISOString(),
  endAt: row.endAt.toISOString(),
  allDay: row.allDay,
  timezone: row.timezone,
  location: locationOf(row),
  status: row.status,
});

const toBroughtItem = ({ title, emoji, quantity, ...item }: BroughtItemRow): BroughtItem => ({
  itemId: formatItemId(item),
  title,
  emoji,
  quantity,
});

export const toNotification = (
  row: NotificationRow,
  person: PersonRow | null,
  brought: BroughtItemRow[],
  publicUrl: string,
): Notification => ({
  id: row.id,
  kind: row.kind,
  isRead: !row.isUnread,
  count: row.count,
  person: person && toPerson(person, publicUrl),
  event: row.eventId === null ? null : toEvent(row.eventId, row, publicUrl),
  bringing: brought.map(toBroughtItem),
  createdAt: row.createdAt.toISOString(),
});

/** The level of each kind: the one that the person set, or the default. */
export function toSettings(rows: { kind: NotificationKind; level: Level }[]): NotificationSettings {
  const levels = new Map(rows.map(({ kind, level }) => [kind, level]));
  return Object.fromEntries(
    notificationKinds.map((kind) => [kind, levels.get(kind) ?? kinds[kind].level]),
  ) as NotificationSettings;
}
