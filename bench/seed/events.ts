/** Generates the events. Kinds and organizers are planned first, so that rows and counters agree. */

import { cellOf } from '#record-index';
import { categorySlugs, templateSlugs } from '../../src/modules/events/catalogue.ts';
import { searchVector } from '../../src/modules/events/search-words.ts';
import { type Random, randomOf } from '../../test/support/random.ts';
import { claimsEvent, hotEvent, idOf, userCount } from './ids.ts';
import type { Row, Table } from './load.ts';
import { cities, type Point, pointAnywhere, pointNear } from './places.ts';
import { capitalised, phrase, plant } from './vocabulary.ts';

const kinds = ['listed', 'unlisted', 'private', 'cancelled'] as const;
type Kind = (typeof kinds)[number];

export type Plan = {
  /** The number of ordinary events, numbered from 1; two special events follow. */
  events: number;
  day: Date;
  kindOf(event: number): Kind;
  organizerOf(event: number): number;
  /** How many listed events each person organizes. */
  eventsCounts: Int32Array;
};

export function planEvents(events: number, day: Date): Plan {
  const random = randomOf(3);
  const kind = new Uint8Array(events + 3);
  const organizer = new Uint16Array(events + 3);
  const eventsCounts = new Int32Array(userCount + 1);
  const isSpecial = (n: number) => n === hotEvent(events) || n === claimsEvent(events);
  for (let n = 1; n <= events + 2; n++) {
    const chance = random.next();
    kind[n] = isSpecial(n) || chance < 0.97 ? 0 : 1 + Math.floor((chance - 0.97) * 100);
    const person = 1 + Math.floor(random.next() ** 1.5 * userCount);
    organizer[n] = person;
    if (kind[n] === 0) eventsCounts[person] = (eventsCounts[person] ?? 0) + 1;
  }
  return {
    events,
    day,
    kindOf: (n) => kinds[kind[n] ?? 0] ?? 'listed',
    organizerOf: (n) => organizer[n] ?? 1,
    eventsCounts,
  };
}

/** The share of each category in percent. */
const shares: Record<string, number> = {
  music: 18,
  food: 14,
  sports: 12,
  community: 11,
  arts: 9,
  outdoors: 8,
  tech: 7,
  learning: 6,
  family: 5,
  party: 4,
  film: 3,
  games: 2,
  wellbeing: 0.2,
};

/** The last category gets the remaining share. */
function pickCategory(random: Random): string {
  let left = random.next() * 100;
  for (const slug of categorySlugs) {
    left -= shares[slug] ?? 100;
    if (left < 0) return slug;
  }
  return 'other';
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const quarterMs = hourMs / 4;

/** A start between 110 days ago and 255 days ahead, and a length of some hours, a day or a week. */
function times(random: Random, day: Date): { start: Date; end: Date } {
  const offset = (-110 + random.next() * 365) * dayMs;
  const start = Math.round((day.getTime() + offset) / quarterMs) * quarterMs;
  const chance = random.next();
  const short = (2 + random.below(7)) * (hourMs / 2);
  const length = chance < 0.9 ? short : chance < 0.98 ? dayMs : 7 * dayMs;
  return { start: new Date(start), end: new Date(start + length) };
}

function place(random: Random): Point & { address: string; timezone: string } {
  const address = phrase(random, 3 + random.below(2))
    .map(capitalised)
    .join(' ');
  if (random.next() >= 0.5) return { ...pointAnywhere(random), address, timezone: 'UTC' };
  const city = random.pick(cities);
  return { ...pointNear(random, city, 60), address, timezone: city.timezone };
}

function texts(random: Random): { title: string; description: string } {
  const title = phrase(random, 3 + random.below(4));
  const description = phrase(random, 8 + random.below(18));
  plant(random, title, description);
  return { title: capitalised(title.join(' ')), description: `${capitalised(description.join(' '))}.` };
}

const columns =
  'id, organizer_id, title, description, cover_url, start_at, end_at, timezone, address, lat, lng, cell, category, template, price, is_price_known, currency, capacity, visibility, status, enabled_modules, search, created_at, updated_at';

export function eventTable(plan: Plan): Table {
  function* rows(): Generator<Row> {
    const random = randomOf(4);
    for (let n = 1; n <= plan.events; n++) yield eventRow(random, plan, n, times(random, plan.day));
    // The special events are in the future for the lifetime of the dataset.
    const start = new Date(plan.day.getTime() + 60 * dayMs);
    const future = { start, end: new Date(start.getTime() + 3 * hourMs) };
    yield eventRow(random, plan, hotEvent(plan.events), future);
    yield eventRow(random, plan, claimsEvent(plan.events), future);
  }
  return { name: 'events', columns, count: plan.events + 2, rows };
}

function eventRow(random: Random, plan: Plan, n: number, { start, end }: { start: Date; end: Date }): Row {
  const { title, description } = texts(random);
  const { lat, lng, address, timezone } = place(random);
  const kind = plan.kindOf(n);
  const visibility = kind === 'unlisted' || kind === 'private' ? kind : 'public';
  const createdAt = new Date(
    Math.min(start.getTime(), plan.day.getTime()) - random.below(60 * 24) * hourMs,
  ).toISOString();
  const [category, template] = [pickCategory(random), random.pick(templateSlugs)];
  const price = random.next() < 0.7 ? 0 : (1 + random.below(80)) / 2;
  return [
    idOf('event', n),
    idOf('user', plan.organizerOf(n)),
    title,
    description,
    null,
    start.toISOString(),
    end.toISOString(),
    timezone,
    address,
    lat,
    lng,
    cellOf(lat, lng),
    category,
    template,
    price,
    price > 0,
    'EUR',
    random.next() < 0.8 ? 0 : 10 * (1 + random.below(50)),
    visibility,
    kind === 'cancelled' ? 'cancelled' : 'scheduled',
    '{bringList,wishList}',
    searchVector({ title, address, description }),
    createdAt,
    createdAt,
  ];
}
