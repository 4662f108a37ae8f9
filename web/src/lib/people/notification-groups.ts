/** Notifications that are one row of the inbox: followers, and what repeats about one event or person. */
import type { Notification } from '@potluck/client';
import { formatList, isToday } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { describeNotification, hrefOf } from './notifications.ts';

type Person = NonNullable<Notification['person']>;

/** `entries`: the newest first. `people`: each once, the latest first. `unread`: how many entries are. */
export type NotificationGroup = {
  newest: Notification;
  entries: Notification[];
  people: Person[];
  unread: number;
};

/** Named people, before the others are counted. */
const maxNames = 2;

/** Divides notifications, the newest first, into those of today and earlier ones, each in groups. */
export function groupByDay(entries: Notification[], timeZone?: string) {
  const days = Map.groupBy(entries, ({ createdAt }) => isToday(createdAt, timeZone));
  return [true, false].flatMap((isOfToday) => {
    const groups = toGroups(days.get(isOfToday) ?? []);
    return groups.length > 0 ? [{ isOfToday, groups }] : [];
  });
}

const toGroups = (all: Notification[]): NotificationGroup[] =>
  [...Map.groupBy(all, keyOf).values()].flatMap((entries) => {
    const [newest] = entries;
    if (!newest) return [];
    const people = new Map(entries.flatMap(({ person }) => (person ? [[person.id, person]] : [])));
    const unread = entries.filter(({ isRead }) => !isRead).length;
    return [{ newest, entries, people: [...people.values()], unread }];
  });

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
  const { newest, entries, people } = group;
  if (isOfSeveral(group)) return m.people_news_followers({ names: namesOf(people, people.length) });
  const count = entries.reduce((sum, entry) => sum + entry.count, 0);
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

/** @param meId of the visitor, who has a list of all followers */
export const hrefOfGroup = (group: NotificationGroup, meId: string): string | null =>
  isOfSeveral(group) ? `/u/${meId}/followers` : hrefOf(group.newest);
