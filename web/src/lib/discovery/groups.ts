/** The events of a search in groups: by the day on which they begin at their venues, and those that have begun before. */
import type { ListedEvent } from '@potluck/client';
import type { Highlights } from '#lib/discovery/worth-knowing.ts';
import { dayOf } from '#lib/language/format.ts';
import { formatHeading } from '#lib/language/list-times.ts';
import { m } from '#lib/messages/index.js';
import { hrefOf, type Search } from './search.ts';

/** What rows do not show. A page has what they show twice: in its text and, for its scripts, in its data. */
export type Unshown = 'description' | 'visibility' | 'rsvpCount' | 'partyCount' | 'isSaved' | 'createdAt';
/** What lists show of an event. */
export type ShownEvent = Omit<ListedEvent, Unshown> & { highlights?: Highlights | undefined };

export type EventList = {
  /** By start. Those before `todayCount` begin on the first day of the period. */
  events: ShownEvent[];
  todayCount: number;
  /** The first of the events that began before the period, and the number of all. Empty on later pages. */
  running: { events: ShownEvent[]; total: number };
  /** Of all events, those of `running` included. */
  total: number;
  /** Whether there are events after those of `events`. */
  hasMore: boolean;
  /** The last page of the list before this one; null if this is the first. */
  before: number | null;
  /** The town of the events, of a search without a place; empty if they are in several. Their addresses do not repeat it. */
  town: string;
};

/** `time`: what rows show of the time beside the heading (EventRow.svelte). */
export type Group = {
  name: string;
  /** Empty unless the group is a day. */
  date: string;
  /** Whether the name is more than a landmark for screen readers. */
  isNamed: boolean;
  events: ShownEvent[];
  time: 'start' | 'end' | 'period';
  more: { href: string; label: string } | null;
};

/** What begins on the first day comes first; behind it what has begun before and may last for months; then the rest. */
export function groupEvents(list: EventList, search: Search): Group[] {
  const { events, todayCount } = list;
  if (events.length === 0 && list.running.events.length === 0) return [];
  if (search.order !== 'start')
    return [{ ...oneGroup(m.discovery_results(), events, 'period'), isNamed: false }];
  if (search.isRunning) return [oneGroup(m.discovery_on_now(), events, 'end')];
  const days = groupByDay(events);
  const firstDays = new Set(events.slice(0, todayCount).map(dayOfEvent)).size;
  return [...days.slice(0, firstDays), ...runningGroup(list, search), ...days.slice(firstDays)];
}

const oneGroup = (name: string, events: ShownEvent[], time: Group['time']): Group => ({
  name,
  date: '',
  isNamed: true,
  events,
  time,
  more: null,
});

const dayOfEvent = ({ startAt, timezone }: ShownEvent): string => dayOf(startAt, timezone);

function groupByDay(events: ShownEvent[]): Group[] {
  // Around the world, a later event may begin on an earlier day.
  const days = [...Map.groupBy(events, dayOfEvent)].sort(([a], [b]) => (a < b ? -1 : 1));
  return days.map(([day, ofDay]) => ({
    ...formatHeading(day, ofDay[0]?.timezone ?? 'UTC'),
    isNamed: true,
    events: ofDay,
    time: 'start',
    more: null,
  }));
}

function runningGroup({ running }: EventList, search: Search): Group[] {
  const { events, total } = running;
  if (events.length === 0) return [];
  const more =
    total > events.length
      ? { href: hrefOf(search, { isRunning: true }), label: m.discovery_on_now_all({ count: total }) }
      : null;
  return [{ ...oneGroup(m.discovery_on_now(), events, 'end'), more }];
}
