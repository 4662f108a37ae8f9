/** All that the demo will hold, worked out beforehand: for the same moment always the same. */

import { dayMs } from '../../lib/time.ts';
import type { BookingStatus } from '../../modules/attendance/present-booking.ts';
import { type EventFields, withDefaults } from '../../modules/events/event-fields.ts';
import type { Rsvp } from '../../modules/events/repo.ts';
import type { NewItem } from '../../modules/items/schemas.ts';
import { kits } from './kits.ts';
import { outside } from './outside.ts';
import { people } from './people.ts';
import { places, timezone } from './places.ts';
import { play } from './play.ts';
import { series } from './series.ts';
import { stage } from './stage.ts';
import { table } from './table.ts';
import { together } from './together.ts';
import type { Gathering, PersonKey, Thing, When } from './types.ts';

export type PlannedEvent = {
  host: PersonKey;
  fields: EventFields;
  createdAt: Date;
  items: NewItem[];
  rsvps: { who: PersonKey; status: Rsvp; at: Date }[];
  saves: { who: PersonKey; at: Date }[];
  /** `n` counts the items from 1. */
  claims: { who: PersonKey; n: number; quantity: number; at: Date }[];
  bookings: { who: PersonKey; n: number; seats: number; status: BookingStatus; at: Date }[];
};
export type Plan = { events: PlannedEvent[]; follows: [who: PersonKey, whom: PersonKey][] };

export const everybody = Object.keys(people) as PersonKey[];
/** Somebody must be: an organizer whose events are missing from the lists of one of the demo accounts. */
export const blocked: [who: PersonKey, whom: PersonKey] = ['jonas', 'oskar'];

export function demoPlan(now: Date): Plan {
  const random = dice(20_260_501);
  const gatherings: Gathering[] = [
    ...table,
    ...stage,
    ...outside,
    ...play,
    ...together,
    ...series.flatMap(({ dates, ...common }) => dates.map((date) => ({ ...common, ...date }))),
  ];
  return { events: gatherings.map((one) => planEvent(one, now, random)), follows: planFollows(random) };
}

type Dice = () => number;

/** A small generator of numbers from 0 to 1 that gives the same row for the same seed (mulberry32). */
function dice(seed: number): Dice {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function planEvent(gathering: Gathering, now: Date, random: Dice): PlannedEvent {
  const { host, when, place, cancelled, about, bring, wish, visibility, bookings: _, ...rest } = gathering;
  const createdAt = new Date(now.getTime() - (2 + random() * 40) * dayMs);
  const since = () => new Date(createdAt.getTime() + random() * (now.getTime() - createdAt.getTime()));
  const items = [...things('bring', bring), ...things('wish', wish)];
  // A draft is seen by nobody who could answer it.
  const others = visibility === 'private' ? [] : guestsFor(host);
  const appeal = 0.3 + random() * 0.55;
  const rsvps = others.flatMap((who): PlannedEvent['rsvps'] => {
    const mood = random();
    if (mood > appeal) return [];
    return [{ who, status: mood < appeal * 0.65 ? 'going' : 'interested', at: since() }];
  });
  const going = rsvps.filter(({ status }) => status === 'going').map(({ who }) => who);
  return {
    host,
    fields: {
      ...withDefaults({
        description: about,
        location: places[place],
        timezone,
        currency: 'SEK',
        // A gathering without a price is free.
        isPriceKnown: true,
        ...(visibility && { visibility }),
        ...timesOf(when, now),
        ...rest,
      }),
      status: cancelled ? 'cancelled' : 'scheduled',
    },
    createdAt,
    items,
    rsvps,
    saves: others.filter(() => random() < 0.18).map((who) => ({ who, at: since() })),
    claims: planClaims(items, going, random).map((claim) => ({ ...claim, at: since() })),
    bookings: planBookings(gathering, createdAt),
  };
}

/** The host goes without saying; nobody answers somebody whom they blocked. */
const guestsFor = (host: PersonKey): PersonKey[] =>
  everybody.filter((who) => who !== host && !(who === blocked[0] && host === blocked[1]));

const things = (kind: 'bring' | 'wish', list: keyof typeof kits | Thing[] = []): NewItem[] =>
  (typeof list === 'string' ? kits[list] : list).map((thing) => ({ ...thing, kind }));

/** Some take one thing, some two, some nothing; never more than is left. */
function planClaims(items: NewItem[], going: PersonKey[], random: Dice) {
  const left = items.map(({ quantityNeeded }) => quantityNeeded);
  return going.flatMap((who) => {
    const eventQuery = new Set([random(), random()].map((at) => Math.floor(at * items.length * 1.4)));
    return [...eventQuery].flatMap((at) => {
      const most = Math.min(left[at] ?? 0, 3);
      if (most === 0) return [];
      const quantity = 1 + Math.floor(random() * most);
      left[at] = (left[at] ?? 0) - quantity;
      return [{ who, n: at + 1, quantity }];
    });
  });
}

/** An hour after the other, each as the API would have had it: who waits is passed by nobody. */
function planBookings({ bookings = [], capacity = 0 }: Gathering, createdAt: Date): PlannedEvent['bookings'] {
  let left = capacity === 0 ? Number.POSITIVE_INFINITY : capacity;
  return bookings.map(([who, seats], i) => {
    const status = seats <= left ? 'booked' : 'waiting';
    left = status === 'booked' ? left - seats : 0;
    return { who, n: i + 1, seats, status, at: new Date(createdAt.getTime() + (i + 1) * hourMs) };
  });
}
const hourMs = 3_600_000;

const days = { mon: 1, tue: 2, wed: 3, thu: 4, fri: 5, sat: 6, sun: 7 };

/** Week 0 begins tomorrow, so that nothing has begun yet. */
function timesOf([week, day, time, hours]: When, now: Date): { startAt: string; endAt: string } {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone);
  const first = today.toPlainDate().add({ days: 1 });
  const ahead = (days[day] - first.dayOfWeek + 7) % 7;
  const start = first
    .add({ days: ahead + 7 * week })
    .toZonedDateTime({ timeZone: timezone, plainTime: time });
  const startAt = start.epochMilliseconds;
  return {
    startAt: new Date(startAt).toISOString(),
    endAt: new Date(startAt + hours * 3_600_000).toISOString(),
  };
}

/** The demo accounts know each other; of the rest everybody follows some. */
function planFollows(random: Dice): Plan['follows'] {
  const sure: Plan['follows'] = [
    ['jonas', 'mara'],
    ['mara', 'jonas'],
    ['jonas', 'leila'],
    ['alva', 'mara'],
    ['mara', 'leila'],
    ['elin', 'mara'],
  ];
  const isSet = (a: PersonKey, b: PersonKey) => [...sure, blocked].some(([c, d]) => a === c && b === d);
  const isBlock = (a: PersonKey, b: PersonKey) => blocked.includes(a) && blocked.includes(b);
  const pairs = everybody.flatMap((who) => everybody.map((whom): [PersonKey, PersonKey] => [who, whom]));
  // Elin's profile is private: Mara sees it since Elin follows her, Jonas does not.
  const open = pairs.filter(([a, b]) => a !== b && !isSet(a, b) && !isBlock(a, b) && a !== 'elin');
  return [...sure, ...open.filter(() => random() < 0.35)];
}
