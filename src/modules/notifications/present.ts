/** Converts notification rows to the objects of responses. */
import { formatItemId, type ItemId } from '../../lib/ids.ts';
import type { Decision } from '../../outbox/decisions.ts';
import { kinds, type Level, type NotificationKind, notificationKinds } from '../../outbox/kinds.ts';
import type { NoticedEvent } from '../../outbox/notices.ts';
import { coverUrlOf, type EventRow } from '../events/present.ts';
import type { Rsvp } from '../events/repo.ts';
import { type PersonRow, toPerson } from '../people/present.ts';
import { type NoticeRow, newsOf } from './notices.ts';
import type {
  BroughtItem,
  EventOfChange,
  Notification,
  NotificationEvent,
  NotificationSettings,
} from './schemas.ts';

type Shown = Exclude<keyof NotificationEvent, 'id' | 'location'> | keyof NotificationEvent['location'];
type EventColumns = Pick<EventRow, Shown | 'coverTheme' | 'category' | 'visibility'>;

/** The columns of the event are null if `eventId` is; `title` is then that of the decision, if there is one. */
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
  /** The first notice that it is about. */
  since: string | null;
  /** Of `announcement`: the latest one and its text; null if it was deleted. */
  about: string | null;
  text: string | null;
  readAt: Date | null;
  decision: Decision | null;
} & EventColumns;

export type BroughtItemRow = ItemId & Omit<BroughtItem, 'itemId'>;
/** `status`: null for a booking. `people`: how many come, the person included; null for an RSVP of `interested`. */
export type AnswerRow = {
  kind: NotificationKind;
  eventId: string;
  userId: string;
  status: Rsvp | null;
  people: number | null;
};
/** The invitation of the recipient to an event. */
export type InvitedRow = { eventId: string; id: string };
/** `invitations`, `brought`, `answers`, `notices`: of all notifications of a page. */
type Details = {
  invitations: InvitedRow[];
  person: PersonRow | null;
  brought: BroughtItemRow[];
  answers: AnswerRow[];
  notices: NoticeRow[];
};

const toEvent = (id: string, row: EventColumns, publicUrl: string): NotificationEvent => ({
  ...row,
  id,
  coverUrl: coverUrlOf({ ...row, id }, publicUrl),
  location: row,
});

const toNoticed = (event: NoticedEvent): EventOfChange => ({ ...event, location: event });

export function toNotification(
  row: NotificationRow,
  { person, invitations, brought, answers, notices }: Details,
  publicUrl: string,
): Notification {
  const { kind, eventId, personId } = row;
  const given = answers.find(
    (answer) => answer.kind === kind && answer.eventId === eventId && answer.userId === personId,
  );
  const { changes, announcement } = newsOf(row, notices);
  const items = kind === 'reminder' ? brought.filter((item) => item.eventId === eventId) : [];
  return {
    ...row,
    isRead: !row.isUnread,
    person: person && toPerson(person, publicUrl),
    event: eventId === null ? null : toEvent(eventId, row, publicUrl),
    answer: given?.status ?? null,
    people: given?.people ?? null,
    changes: changes && { ...changes, before: toNoticed(changes.before), after: toNoticed(changes.after) },
    announcement,
    invitation: kind === 'invitation' ? invitationTo(eventId, invitations) : null,
    bringing: items.map((item) => ({ ...item, itemId: formatItemId(item) })),
  };
}

const invitationTo = (eventId: string | null, invitations: InvitedRow[]): Notification['invitation'] => {
  const found = invitations.find((invitation) => invitation.eventId === eventId);
  return found ? { id: found.id } : null;
};

/** The level of each kind: the one that the person set, or the default. */
export function toSettings(rows: { kind: NotificationKind; level: Level }[]): NotificationSettings {
  const levels = new Map(rows.map(({ kind, level }) => [kind, level]));
  return Object.fromEntries(
    notificationKinds.map((kind) => [kind, levels.get(kind) ?? kinds[kind].level]),
  ) as NotificationSettings;
}
