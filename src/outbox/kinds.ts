/**
 * The kinds of notifications. All that differs between kinds is declared here: settings, schemas, inbox, delivery, push
 * and pages follow. CONTRIBUTING.md shows what a new kind touches.
 */
import { dayMs, hourMs, minId, minuteMs } from '#base';
import { type Statement, sql } from '#pg';
import { type Audience, guestAudiences, peopleOf, recipientsOf, type Subject } from './audiences.ts';

/** Where a notification goes. */
export type Channel = 'inbox' | 'push' | 'mail';
/** What a person can choose for a kind. Of kinds that count for an organizer, one mail a day tells the new ones. */
export type Level = 'off' | 'inbox' | 'push' | 'mail' | 'all';
export const channelsOf: Record<Level, Channel[]> = {
  off: [],
  inbox: ['inbox'],
  push: ['inbox', 'push'],
  mail: ['inbox', 'mail'],
  all: ['inbox', 'push', 'mail'],
};

/** The levels whose notifications are mailed. */
export const mailedLevels = (Object.keys(channelsOf) as Level[]).filter((level) =>
  channelsOf[level].includes('mail'),
);

/**
 * `level`: of people who have not set one. `icon`: the name of a file in web/src/lib/icons/. `description`: for the OpenAPI
 * document. The names of the texts of the pages follow from the kind: `people_kind_…` and `people_news_…`.
 */
type Kind = { level: Level; icon: string; description: string };

/**
 * How notifications of a kind become mails. `pauseMs`: between the mails of the kind to a person about one subject, so that what
 * repeats fills no mailbox. `waitMs`: after the cause; a notification that was read by then is not mailed. `isCollected`: the
 * notifications about different people are one mail. `isTexted`: guests who gave a phone number alone get a text message.
 */
type MailRule = { pauseMs: number; waitMs?: number; isCollected?: true; isTexted?: true };

/**
 * How notifications of a kind become pushes; without a rule, of what is counted, only the first is pushed until it is read.
 * `pauseMs`: between the pushes of the kind to a person about one subject.
 */
type PushRule = { pauseMs: number };

/**
 * A kind that a job delivers. `isFromPerson`: whether the person whom the notification names causes it. It then does not
 * reach that person, does not cross a block, and disappears when the person is suspended. `isAnonymous`: whether the recipient
 * must not learn who caused it. `isCounted`: whether it counts what several people do, so its id changes while it is unread.
 */
type DeliveredKind = Kind & {
  isFromPerson: boolean;
  isAnonymous?: true;
  isCounted?: true;
  mail: MailRule;
  push?: PushRule;
};

/**
 * Statements that select the `user_id` of recipients. A person may occur more than once. `actorId`: the organizer of the event; the
 * author of an announcement, which alone has an `audience` and may be about a series.
 */
type Recipients = (of: {
  eventId: string;
  subject: Subject;
  actorId: string;
  audience: Audience[];
  since: string | null;
}) => Statement[];

const guests: Recipients = ({ subject }) => peopleOf(subject, guestAudiences);
const attendees: Recipients = ({ subject }) => peopleOf(subject, ['going']);
/** Of moves that only people see who go, no others are told. */
const guestsOfChange: Recipients = (of) => {
  const others = guestAudiences.filter((list) => list !== 'going');
  const concernsAll = sql`exists (
    select 1 from event_notices
    where event_id = ${of.eventId} and kind = 'eventChanged' and id >= ${of.since ?? minId} and not only_going)`;
  return [
    ...attendees(of),
    ...peopleOf(of.subject, others).map((people) => sql`${people} and ${concernsAll}`),
  ];
};

const followers: Recipients = ({ actorId }) => [
  sql`select other_id as user_id from relations where user_id = ${actorId} and followed_by`,
];

/**
 * `while`: a condition on `events e`, beside those that hold for all fan-outs. When it does not hold any more, further
 * recipients are not notified. `isAlsoAfterEnd`: whether people are notified after the end of the event, too.
 */
export type FanOutRule = DeliveredKind & {
  to: Recipients;
  while: (now: Date) => Statement;
  isAlsoAfterEnd?: true;
};

const eventMails: MailRule = { pauseMs: 10 * minuteMs };

/** Kinds about an event, which go to many people and name the organizer, or the author of an announcement. */
export const fanOuts = {
  eventChanged: {
    to: guestsOfChange,
    while: () => sql`e.status = 'scheduled'`,
    isFromPerson: true,
    level: 'all',
    mail: { ...eventMails, isTexted: true },
    icon: 'CalendarClock',
    description: 'the time or place of the event changed, or a cancelled event takes place again',
  },
  eventCancelled: {
    to: guests,
    while: () => sql`e.status = 'cancelled'`,
    isFromPerson: true,
    level: 'all',
    mail: { ...eventMails, isTexted: true },
    icon: 'CalendarX',
    description: 'the event is cancelled',
  },
  announcement: {
    to: ({ subject, actorId, audience }) => recipientsOf({ subject, authorId: actorId, audience }),
    while: () => sql`true`,
    isAlsoAfterEnd: true,
    isFromPerson: true,
    level: 'all',
    // Each has a mail of its own, because the mail says it. The limits of a day bound their number.
    mail: { pauseMs: 0 },
    icon: 'Megaphone',
    description: 'the organizer wrote to the guests of the event',
  },
  reminder: {
    to: attendees,
    while: (now) => sql`e.status = 'scheduled' and e.start_at > ${now}`,
    isFromPerson: false,
    level: 'all',
    mail: eventMails,
    icon: 'Bell',
    description: 'the event begins within 24 hours',
  },
  newEvent: {
    to: followers,
    while: () => sql`e.status = 'scheduled' and e.visibility = 'public'`,
    isFromPerson: true,
    level: 'inbox',
    mail: { pauseMs: 0 },
    icon: 'CalendarPlus',
    description: 'a person whom the caller follows has a new public event',
  },
} satisfies Record<string, FanOutRule>;

/**
 * Kinds with one recipient. `about`: what the subject of the cause is. `source`: a calendar that the recipient follows. `server`: what the admins have to do; the subject is
 * the recipient, so an unread notification counts all causes.
 */
const causes = {
  bookingConfirmed: {
    about: 'event',
    isFromPerson: false,
    level: 'all',
    mail: eventMails,
    icon: 'Ticket',
    description: 'the caller moved up from the waitlist and has seats',
  },
  invitation: {
    about: 'event',
    isFromPerson: true,
    level: 'all',
    mail: eventMails,
    icon: 'Mail',
    description: 'a person invites the caller to the event, or reminds them of it',
  },
  eventHidden: {
    about: 'event',
    isFromPerson: false,
    isAnonymous: true,
    level: 'all',
    mail: eventMails,
    icon: 'Lock',
    description: 'for the organizer: an admin hides the event; only while the admin does',
  },
  decision: {
    about: 'event',
    isFromPerson: false,
    isAnonymous: true,
    level: 'all',
    mail: eventMails,
    icon: 'Check',
    description: 'what was decided about the caller at an event: `decision` says what, and why',
  },
  message: {
    about: 'person',
    isFromPerson: true,
    level: 'all',
    // Once until the person reads the messages (modules/notifications/delivery/repo.ts).
    mail: { pauseMs: 0, waitMs: 10 * minuteMs },
    icon: 'MessageCircle',
    description: 'messages of a person',
  },
  follower: {
    about: 'person',
    isFromPerson: true,
    level: 'push',
    mail: { pauseMs: dayMs, isCollected: true },
    icon: 'UserPlus',
    description: 'a new follower',
  },
  // Its causes have the ids of comments. What the notification says is read from the comments (modules/comments/told-comments.ts).
  comments: {
    about: 'event',
    isFromPerson: true,
    isCounted: true,
    level: 'push',
    mail: { pauseMs: 30 * minuteMs },
    push: { pauseMs: 30 * minuteMs },
    icon: 'MessagesSquare',
    description: 'for the organizer: comments; for the author of a comment: replies to it',
  },
  sourceFailed: {
    about: 'source',
    isFromPerson: false,
    isAnonymous: true,
    level: 'all',
    mail: { pauseMs: 0 },
    icon: 'CalendarX',
    description:
      'a calendar that the caller follows could not be read for 14 days, and is not fetched any more',
  },
  reports: {
    about: 'server',
    isFromPerson: false,
    isCounted: true,
    level: 'push',
    mail: { pauseMs: hourMs },
    icon: 'Flag',
    description: 'for admins: reports',
  },
} satisfies Record<string, DeliveredKind & { about: 'event' | 'person' | 'source' | 'server' }>;

/**
 * Kinds that count what people do at an event, for its organizer. `counter`: the table that counts what is unread, in
 * columns named by the kind; `item_stock` has a row for each item of an event. `isOnce`: a person does it once at an event, so a
 * person who does it again after taking it back is not counted twice.
 */
export const summaries = {
  rsvps: {
    counter: 'event_counters',
    isOnce: true,
    level: 'push',
    icon: 'Users',
    description: 'for the organizer: RSVPs',
  },
  claims: {
    counter: 'item_stock',
    isOnce: false,
    level: 'push',
    icon: 'Gift',
    description: 'for the organizer: claims',
  },
  bookings: {
    counter: 'event_counters',
    isOnce: true,
    level: 'push',
    icon: 'Ticket',
    description: 'for the organizer: bookings',
  },
  requests: {
    counter: 'event_counters',
    isOnce: true,
    level: 'push',
    icon: 'UserPlus',
    description: 'for the organizer: requests to join',
  },
} satisfies Record<string, Kind & { counter: 'event_counters' | 'item_stock'; isOnce: boolean }>;

export type FanOutKind = keyof typeof fanOuts;
export type CauseKind = keyof typeof causes;
export type SummaryKind = keyof typeof summaries;
export type NotificationKind = FanOutKind | CauseKind | SummaryKind;

export const fanOutKinds = Object.keys(fanOuts) as FanOutKind[];
/** A fan-out of one of these is a row of its own; that of an announcement is in the row of the announcement. */
export type StoredFanOutKind = Exclude<FanOutKind, 'announcement'>;

export type DeliveredKindName = FanOutKind | CauseKind;
const delivered: Record<DeliveredKindName, DeliveredKind> = { ...fanOuts, ...causes };
export const pushPauseOf = (kind: DeliveredKindName): number | null => delivered[kind].push?.pauseMs ?? null;
export const mailRuleOf = (kind: DeliveredKindName): MailRule => delivered[kind].mail;
export const kinds: Record<NotificationKind, Kind> = { ...delivered, ...summaries };

export const notificationKinds = Object.keys(kinds) as NotificationKind[];
export const summaryKinds = Object.keys(summaries) as SummaryKind[];
export const onceKinds = summaryKinds.filter((kind) => summaries[kind].isOnce);
export const deliveredKinds = Object.keys(delivered) as DeliveredKindName[];
const causeKinds = Object.keys(causes) as CauseKind[];
const causesAbout = (about: string): NotificationKind[] =>
  causeKinds.filter((kind) => causes[kind].about === about);
export const personKinds = causesAbout('person');
/** Kinds that only admins see, also of what they were notified of before their role changed. */
export const adminKinds = causesAbout('server');
export const kindsWithoutEvent = [...personKinds, ...adminKinds, ...causesAbout('source')];
/** Kinds that count what several people do. */
export const countedKinds: NotificationKind[] = [
  ...summaryKinds,
  ...deliveredKinds.filter((kind) => delivered[kind].isCounted),
];
export const kindsFromPeople = deliveredKinds.filter((kind) => delivered[kind].isFromPerson);

export const anonymousKinds = deliveredKinds.filter((kind) => delivered[kind].isAnonymous);

/** Whether notifications of a kind go to a channel. @param level undefined: the recipient has not set one */
export const reaches = (kind: NotificationKind, level: Level | undefined, channel: Channel): boolean =>
  channelsOf[level ?? kinds[kind].level].includes(channel);
