/** Notifications that are one row of the inbox: followers, what guests do at an event, and what repeats about one event or person. */
import type { Event, Notification } from '@potluck/client';
import { dayMs, formatList, isToday } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { describeNotification, hrefOf } from './notifications.ts';

export type Person = NonNullable<Notification['person']>;
/** What an event has in all. */
export type Totals = Pick<Event, 'goingCount' | 'rsvpCount' | 'bookedCount'>;

/**
 * `entries`: the newest first. `newest`, `count`, `people`: of the kind that the sentence is about, how often it happened, and
 * who did it, each once, the latest first. `counts`: how often each kind happened. `unread`: as how many the bell counts them.
 */
export type NotificationGroup = {
  newest: Notification;
  entries: Notification[];
  count: number;
  people: Person[];
  counts: Partial<Record<Notification['kind'], number>>;
  unread: number;
};

/** What guests do at an event is one row, and its sentence is about the first of these. */
const guestKinds: Notification['kind'][] = ['rsvps', 'bookings', 'claims'];

/** Named people, before the others are counted. */
const maxNames = 2;

const periods = ['today', 'week', 'earlier'] as const;

function periodOf({ createdAt }: Notification, timeZone?: string): (typeof periods)[number] {
  if (isToday(createdAt, timeZone)) return 'today';
  return Date.now() - Date.parse(createdAt) < 7 * dayMs ? 'week' : 'earlier';
}

/** Divides notifications, the newest first, into those of today, of the last week, and earlier ones, each in groups. */
export function groupByPeriod(entries: Notification[], timeZone?: string) {
  const byPeriod = Map.groupBy(entries, (entry) => periodOf(entry, timeZone));
  return periods.flatMap((period) => {
    const groups = toGroups(byPeriod.get(period) ?? []);
    return groups.length > 0 ? [{ period, groups }] : [];
  });
}

/** How many of some unread notifications their rows do not count. */
export const countMerged = (entries: Notification[], timeZone?: string): number =>
  groupByPeriod(entries, timeZone)
    .flatMap(({ groups }) => groups)
    .reduce((left, { unread }) => left - unread, entries.length);

const toGroups = (all: Notification[]): NotificationGroup[] =>
  [...Map.groupBy(all, keyOf).values()].flatMap((entries) => {
    const lead = guestKinds.find((kind) => entries.some((entry) => entry.kind === kind));
    const told = lead ? entries.filter(({ kind }) => kind === lead) : entries;
    const [newest] = told;
    if (!newest) return [];
    const people = new Map(told.flatMap(({ person }) => (person ? [[person.id, person]] : [])));
    const unread = entries.filter(({ isRead }) => !isRead).length;
    const counts: NotificationGroup['counts'] = {};
    for (const { kind, count } of entries) counts[kind] = (counts[kind] ?? 0) + count;
    return [
      {
        ...{ newest, entries, counts, count: counts[newest.kind] ?? 0, people: [...people.values()] },
        unread: lead ? Math.min(unread, 1) : unread,
      },
    ];
  });

const keyOf = ({ id, kind, person, event }: Notification): string => {
  // What people wrote is in their conversations: the inbox says once that they wrote.
  if (kind === 'follower' || kind === 'message') return kind;
  return `${guestKinds.includes(kind) ? 'guests' : kind} ${(event ?? person)?.id ?? id}`;
};

/** The events of whose totals the rows tell. */
export const eventsWithTotals = (entries: Notification[]): string[] => [
  ...new Set(entries.flatMap(({ kind, event }) => (event && guestKinds.includes(kind) ? [event.id] : []))),
];

/** Whether a row is about several people who follow the reader, or who wrote to them. */
export const isOfSeveral = ({ newest, people }: NotificationGroup): boolean =>
  (newest.kind === 'follower' || newest.kind === 'message') && people.length > 1;

/** A character for private use, on both sides of a name. */
const mark = '\uE000';
const marked = (name: string): string => mark + name + mark;

/** A sentence such as `Leila, Sofia and 4 others follow you`, in parts; each second part is a name. */
export const describeGroup = (group: NotificationGroup, totals?: Totals): string[] =>
  describe(group, totals).split(mark);

function describe(group: NotificationGroup, totals?: Totals): string {
  const { newest, people, count } = group;
  if (isOfSeveral(group)) {
    const names = namesOf(people, people.length);
    return newest.kind === 'message' ? m.people_who_wrote({ names }) : m.people_news_followers({ names });
  }
  const who =
    newest.event && people.length > 0 ? sentences[newest.kind]?.(answerOfAll(group, totals)) : undefined;
  if (!who || !newest.event) return describeNotification({ ...newest, count }, marked);
  // A person may claim several items, so the others are not counted there.
  const names = namesOf(people, newest.kind === 'claims' ? 1 : count);
  return who({ names, count, title: marked(newest.event.title) });
}

/** The names of the first people, and how many the others of `count` are. */
function namesOf(people: Person[], count: number): string {
  const names = people.slice(0, Math.min(maxNames, count)).map(({ name }) => marked(name));
  const others = count - names.length;
  return formatList([...names, ...(others > 0 ? [m.people_others({ count: others })] : [])]);
}

type Sentence = (inputs: { names: string; title: string; count: number }) => string;
/** What people did at an event, by kind. */
const sentences: Partial<Record<Notification['kind'], (answer: Notification['answer']) => Sentence>> = {
  rsvps: (answer) =>
    answer === 'going'
      ? m.people_who_going
      : answer === 'interested'
        ? m.people_who_interested
        : m.people_who_replied,
  bookings: () => m.people_who_booked,
  claims: () => m.people_who_brings,
};

/** The RSVP of all whom the sentence is about; null if they differ. Of several, only the last one's is known, and the event's totals. */
function answerOfAll({ newest, count }: NotificationGroup, totals?: Totals): Notification['answer'] {
  const isSame = newest.answer === 'going' && totals !== undefined && totals.goingCount === totals.rsvpCount;
  return count === 1 || isSame ? newest.answer : null;
}

/** The RSVP of the one person whom the row is about, and how many come with them; null if there are several, or none. */
export function answerOfOne({ newest, entries, count }: NotificationGroup) {
  if (count !== 1 || newest.kind !== 'rsvps') return null;
  const booking = entries.find(({ kind, person }) => kind === 'bookings' && person?.id === newest.person?.id);
  return { answer: newest.answer, people: booking?.people ?? newest.people };
}

/** What the sentence leaves out: the answers of several guests, their seats, and what they bring. */
export function restOf(group: NotificationGroup, totals?: Totals): string[] {
  const { newest, entries, count, counts } = group;
  if (!guestKinds.includes(newest.kind)) return [];
  const hasOtherSeats = entries.some(
    ({ kind, person, count: seats }) =>
      kind === 'bookings' && (count > 1 || seats > 1 || person?.id !== newest.person?.id),
  );
  const interested = (totals?.rsvpCount ?? 0) - (totals?.goingCount ?? 0);
  return [
    ...(totals && newest.kind === 'rsvps' && count > 1 && interested > 0
      ? [m.people_going({ count: totals.goingCount }), m.organizer_interested_count({ count: interested })]
      : []),
    ...(totals && hasOtherSeats ? [m.people_seats_booked({ count: totals.bookedCount })] : []),
    ...(counts.claims && newest.kind !== 'claims' ? [m.people_items_claimed({ count: counts.claims })] : []),
  ];
}

/** @param meId of the visitor, who has a list of all followers */
export function hrefOfGroup(group: NotificationGroup, meId: string): string | null {
  if (!isOfSeveral(group)) return hrefOf(group.newest);
  return group.newest.kind === 'message' ? '/messages' : `/u/${meId}/followers`;
}

/**
 * What a row about messages says about replies; null for other rows, and if the conversations are not known.
 * @param waiting whether people wait for a reply, by their ids
 */
export function repliesOf(
  { newest, people }: NotificationGroup,
  waiting: ReadonlyMap<string, boolean>,
): { count: number; text: string } | null {
  if (newest.kind !== 'message') return null;
  const known = people.flatMap(({ id }) => waiting.get(id) ?? []);
  const count = known.filter(Boolean).length;
  if (count > 0) return { count, text: people.length === 1 ? m.people_waits() : m.people_waiting({ count }) };
  return known.length > 0 ? { count, text: m.people_replied() } : null;
}
