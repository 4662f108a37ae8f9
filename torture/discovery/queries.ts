/** Random queries of lists, whose bounds are often those of events. */

import { traitNames } from '../../test/operations/event-traits.ts';
import type { Server } from '../../test/support/processes.ts';
import type { Random } from '../../test/support/random.ts';
import type { Client, ClientResponse } from '../client.ts';
import type { ListQuery, Oracle } from './oracle.ts';
import { categories, randomPlace, randomSearch, randomStart } from './vocabulary.ts';

const dayMs = 86_400_000;
const [earliest, latest] = [Date.UTC(1900, 0, 1), Date.UTC(10_000, 0, 1) - 1];
const radiuses = [0.001, 1, 20, 50, 111.3, 300, 5_000, 10_007, 10_008, 19_990, 20_015, 20_016, 20_040];

export function randomQuery(random: Random, { events }: Oracle, callerIds: string[]): ListQuery {
  const chance = (share: number) => random.next() < share;
  const pickEvent = () => (events.length > 0 ? random.pick(events) : null);
  const limit = 1 + random.below(50);
  const page = random.pick([
    1,
    1,
    1,
    2,
    3,
    1 + random.below(40),
    Math.ceil(events.length / limit) || 1,
    2 ** 31 - 1,
  ]);
  const callerId = chance(0.5) ? random.pick(callerIds) : null;
  const common = { page, limit, callerId };
  if (chance(0.35)) return { ...common, order: 'relevance', q: randomSearch(random) };
  const boundOf = (name: 'start' | 'end') => pickEvent()?.[name] ?? randomStart(random);
  const from = chance(0.5) ? boundOf('end') + random.pick([-dayMs, -1, 0, 1]) : null;
  const until = chance(0.4) ? boundOf('start') + random.pick([-1, 0, 1, dayMs]) : null;
  const dateFrom = from === null ? null : dateOf(random, from, 0);
  const dateTo = until === null ? null : dateOf(random, Math.max(until, dateFrom?.at ?? until), dayMs - 1);
  const circle = chance(0.5) ? randomCircle(random, chance(0.5) ? pickEvent() : null) : null;
  // Pages by distance end after 10,000 events, and beyond a quarter of the earth rounding decides.
  const isNear = circle !== null && circle.radius < 10_000 && page * limit <= 10_000 && chance(0.5);
  return {
    ...common,
    order: isNear ? 'distance' : 'start',
    ...(chance(0.4) && { q: randomSearch(random) }),
    ...(chance(0.3) && { category: random.pick([...categories, 'other', 'nonsense']) }),
    traits: traitNames.filter(() => chance(0.2)),
    ...(circle && { circle }),
    ...(dateFrom && { dateFrom }),
    ...(dateTo && { dateTo }),
  };
}

function randomCircle(random: Random, around: { lat: number; lng: number } | null) {
  const { lat, lng } = around ?? randomPlace(random);
  return { lat, lng, radius: random.next() < 0.5 ? random.pick(radiuses) : 10 ** (random.next() * 7.3 - 3) };
}

/** @param restOfDay added to a date without a time: the last millisecond of the day, for the end of a range */
function dateOf(random: Random, time: number, restOfDay: number): { text: string; at: number } {
  const at = Math.min(Math.max(time, earliest), latest);
  const text = new Date(at).toISOString();
  if (random.next() < 0.3) return { text: text.slice(0, 10), at: Math.floor(at / dayMs) * dayMs + restOfDay };
  if (random.next() < 0.3 && at < latest - dayMs)
    return { text: new Date(at + dayMs / 12).toISOString().replace('Z', '+02:00'), at };
  return { text, at };
}

export function pathOf({
  order,
  q,
  circle,
  category,
  traits = [],
  dateFrom,
  dateTo,
  page,
  limit,
}: ListQuery): string {
  const fields = {
    ...(order === 'distance' && { order }),
    q,
    ...circle,
    category,
    ...Object.fromEntries(traits.map((name) => [name, true])),
    dateFrom: dateFrom?.text,
    dateTo: dateTo?.text,
    page,
    limit,
  };
  const sent = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, `${value}`]],
  );
  return `/v1/events${order === 'relevance' ? '/search' : ''}?${new URLSearchParams(sent)}`;
}

/** Whether the server computes lists from its index. */
export async function isIndexed(client: Client, server: Server): Promise<boolean> {
  const response: ClientResponse = await client.send('GET', '/metrics', { server });
  return /^potluck_discovery_index_loaded 1/m.test(response.body);
}
