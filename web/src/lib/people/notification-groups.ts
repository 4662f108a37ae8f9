/** Notifications that are one row of the inbox: followers, and what repeats about one event or person. */
import type { Notification } from '@potluck/client';
import { dayMs, formatList, isToday } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { describeNotification, hrefOf } from './notifications.ts';

export type Person = NonNullable<Notification['person']>;

/** `entries`: the newest first. `count`: how often it happened. `people`: each once, the latest first. `unread`: how many entries are. */
export type NotificationGroup = {
  newest: Notification;
  entries: Notification[];
  count: number;
  people: Person[];
  unread: number;
};

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

/** How many of some unread notifications their rows do not count, because one row tells of an answer and its seats. */
export const countMerged = (entries: Notification[], timeZone?: string): number =>
  groupByPeriod(entries, timeZone)
    .flatMap(({ groups }) => groups)
    .reduce((left, { unread }) => left - unread, entries.length);

function toGroups(all: Notification[]): NotificationGroup[] {
  const groups = [...Map.groupBy(all, keyOf).values()].flatMap((entries) => {
    const [newest] = entries;
    if (!newest) return [];
    const people = new Map(entries.flatMap(({ person }) => (person ? [[person.id, person]] : [])));
    const unread = entries.filter(({ isRead }) => !isRead).length;
    const count = entries.reduce((sum, entry) => sum + entry.count, 0);
    return [{ newest, entries, count, people: [...people.values()], unread }];
  });
  return withSeats(groups);
}

/** A guest who answers and takes seats is one row: that of the answer, with the people of the booking. */
function withSeats(groups: NotificationGroup[]): NotificationGroup[] {
  const answers = new Map(groups.filter(isAnswerOfOne).map((group) => [keyOfGuest(group), group]));
  const seats = new Map(groups.filter(isBookingOfOne).map((group) => [keyOfGuest(group), group]));
  return groups.flatMap((group) => {
    const [answer, booking] = [answers.get(keyOfGuest(group)), seats.get(keyOfGuest(group))];
    if (!answer || !booking || (group !== answer && group !== booking)) return [group];
    if (group === booking) return [];
    const newest = { ...answer.newest, people: booking.newest.people };
    const entries = [...answer.entries, ...booking.entries];
    return [{ ...answer, newest, entries, unread: Math.max(answer.unread, booking.unread) }];
  });
}

const isAnswerOfOne = ({ newest, count }: NotificationGroup): boolean =>
  newest.kind === 'rsvps' && newest.answer === 'going' && count === 1;
const isBookingOfOne = ({ newest, count }: NotificationGroup): boolean =>
  newest.kind === 'bookings' && count === 1;
const keyOfGuest = ({ newest }: NotificationGroup): string => `${newest.event?.id} ${newest.person?.id}`;

const keyOf = ({ id, kind, person, event }: Notification): string =>
  kind === 'follower' ? kind : `${kind} ${(event ?? person)?.id ?? id}`;

const isOfSeveral = ({ newest, people }: NotificationGroup): boolean =>
  newest.kind === 'follower' && people.length > 1;

/** A character for private use, on both sides of a name. */
const mark = '\uE000';
const marked = (name: string): string => mark + name + mark;

/** A sentence such as `Leila, Sofia and 4 others follow you`, in parts; each second part is a name. */
export const describeGroup = (group: NotificationGroup): string[] => describe(group).split(mark);

function describe(group: NotificationGroup): string {
  const { newest, people, count } = group;
  if (isOfSeveral(group)) return m.people_news_followers({ names: namesOf(people, people.length) });
  const who = newest.event && people.length > 0 ? sentences[newest.kind]?.(newest.answer) : undefined;
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

/** The RSVP of the one person whom the row is about; null if there are several, or none. */
export const answerOfGroup = ({ newest, count }: NotificationGroup): Notification['answer'] =>
  count === 1 ? newest.answer : null;

/** @param meId of the visitor, who has a list of all followers */
export const hrefOfGroup = (group: NotificationGroup, meId: string): string | null =>
  isOfSeveral(group) ? `/u/${meId}/followers` : hrefOf(group.newest);
