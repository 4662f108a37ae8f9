/** Generates RSVPs, saves, items and claims, and the counters from the same numbers. */

import { randomOf } from '../../test/support/random.ts';
import type { Plan } from './events.ts';
import { claimsEvent, deepItems, hotEvent, idOf, scarceItems, userCount } from './ids.ts';
import type { Row, Table } from './load.ts';
import { capitalised, phrase } from './vocabulary.ts';

const rsvpCount = 1_000_000;
const savesPerUser = 10;
const maxRsvpsPerEvent = 5_000;
const itemsPerEvent = 10;
const eventsWithItems = 5_000;

/** The number of RSVPs of each event: few events have most of the RSVPs. */
function planRsvps(plan: Plan): Int32Array {
  const random = randomOf(5);
  const weights = new Float64Array(plan.events + 3);
  for (let n = 1; n <= plan.events; n++) {
    const weight = Math.min((1 - random.next()) ** -0.8, 1_000);
    weights[n] = plan.kindOf(n) === 'private' ? 0 : weight;
  }
  const scale = rsvpCount / weights.reduce((sum, weight) => sum + weight, 0);
  const rsvps = Int32Array.from(weights, (weight) => Math.min(Math.floor(weight * scale), maxRsvpsPerEvent));
  let left = rsvpCount - rsvps.reduce((sum, count) => sum + count, 0);
  while (left > 0) {
    const n = 1 + random.below(plan.events);
    if (plan.kindOf(n) === 'private' || (rsvps[n] ?? 0) >= maxRsvpsPerEvent) continue;
    rsvps[n] = (rsvps[n] ?? 0) + 1;
    left--;
  }
  rsvps[hotEvent(plan.events)] = 0;
  rsvps[claimsEvent(plan.events)] = userCount;
  return rsvps;
}

/** The k-th person with an RSVP. The stride and the number of people are coprime, so no person repeats. */
function attendeesOf(event: number): (k: number) => number {
  const random = randomOf(event * 2_654_435 + 17);
  const offset = random.below(userCount);
  // Not divisible by 2 or 5, the prime factors of 20,000.
  const stride = 10 * random.below(userCount / 10) + random.pick([1, 3, 7, 9]);
  return (k) => 1 + ((offset + k * stride) % userCount);
}

export function rsvpTables(plan: Plan): Table[] {
  const rsvps = planRsvps(plan);
  const special = claimsEvent(plan.events);
  const goingOf = (n: number) => (n === special ? userCount : Math.round((rsvps[n] ?? 0) * 0.7));
  const listed = chooseEventsWithItems(plan, goingOf);
  return [
    rsvpTable(plan, rsvps, goingOf),
    saveTable(plan),
    counterTable(plan, rsvps, goingOf, listed),
    ...itemTables(plan, listed, goingOf),
  ];
}

function rsvpTable(plan: Plan, rsvps: Int32Array, goingOf: (n: number) => number): Table {
  const at = plan.day.toISOString();
  function* rows(): Generator<Row> {
    for (let n = 1; n <= plan.events + 2; n++) {
      const [attendee, going, count] = [attendeesOf(n), goingOf(n), rsvps[n] ?? 0];
      for (let k = 0; k < count; k++) {
        yield [idOf('event', n), idOf('user', attendee(k)), k < going ? 'going' : 'interested', at];
      }
    }
  }
  const columns = 'event_id, user_id, status, created_at';
  return { name: 'rsvps', columns, count: rsvpCount + userCount, rows };
}

function saveTable(plan: Plan): Table {
  const at = plan.day.toISOString();
  function* rows(): Generator<Row> {
    const random = randomOf(6);
    for (let user = 1; user <= userCount; user++) {
      const chosen = new Set<number>();
      while (chosen.size < savesPerUser) {
        const n = 1 + random.below(plan.events);
        if (plan.kindOf(n) !== 'private') chosen.add(n);
      }
      for (const n of chosen) yield [idOf('event', n), idOf('user', user), at];
    }
  }
  return { name: 'saves', columns: 'event_id, user_id, created_at', count: savesPerUser * userCount, rows };
}

/** Chooses events evenly among the listed events with at least one `going`. */
function chooseEventsWithItems(plan: Plan, goingOf: (n: number) => number): Set<number> {
  const candidates: number[] = [];
  for (let n = 1; n <= plan.events; n++) {
    if (plan.kindOf(n) === 'listed' && goingOf(n) > 0) candidates.push(n);
  }
  const step = Math.max(1, candidates.length / eventsWithItems);
  const count = Math.min(eventsWithItems, candidates.length);
  return new Set(Array.from({ length: count }, (_, i) => candidates[Math.floor(i * step)] ?? 1));
}

function counterTable(
  plan: Plan,
  rsvps: Int32Array,
  goingOf: (n: number) => number,
  listed: Set<number>,
): Table {
  const special = claimsEvent(plan.events);
  const lastItemOf = (n: number) =>
    n === special ? deepItems.count + scarceItems.count : listed.has(n) ? itemsPerEvent : 0;
  function* rows(): Generator<Row> {
    for (let n = 1; n <= plan.events + 2; n++)
      yield [idOf('event', n), rsvps[n] ?? 0, goingOf(n), lastItemOf(n)];
  }
  const columns = 'event_id, rsvp_count, going_count, last_item';
  return { name: 'event_counters', columns, count: plan.events + 2, rows };
}

type Item = { event: number; n: number; needed: number; claimers: number[] };

/** Each claimer is `going` and claims a quantity of one. */
function planItems(plan: Plan, listed: Set<number>, goingOf: (n: number) => number): Item[] {
  const random = randomOf(7);
  const items: Item[] = [];
  for (const event of listed) {
    const [attendee, going] = [attendeesOf(event), goingOf(event)];
    for (let n = 1; n <= itemsPerEvent; n++) {
      const needed = 1 + random.below(10);
      const claimed = Math.min(random.below(needed + 1), going, 4);
      items.push({ event, n, needed, claimers: Array.from({ length: claimed }, (_, k) => attendee(k)) });
    }
  }
  for (let n = 1; n <= deepItems.count + scarceItems.count; n++) {
    const { needed } = n <= deepItems.count ? deepItems : scarceItems;
    items.push({ event: claimsEvent(plan.events), n, needed, claimers: [] });
  }
  return items;
}

function itemTables(plan: Plan, listed: Set<number>, goingOf: (n: number) => number): Table[] {
  const items = planItems(plan, listed, goingOf);
  const at = plan.day.toISOString();
  const each = (row: (item: Item) => Row) =>
    function* () {
      for (const item of items) yield row(item);
    };
  const random = randomOf(8);
  const titled = each(({ event, n }) => {
    const isBring = n % 3 !== 0;
    const title = capitalised(phrase(random, 1 + random.below(3)).join(' '));
    return [
      idOf('event', event),
      n,
      isBring ? 'bring' : 'wish',
      title,
      null,
      isBring ? '🥘' : '🎁',
      null,
      null,
      at,
    ];
  });
  const stock = each(({ event, n, needed, claimers }) => [idOf('event', event), n, needed, claimers.length]);
  const columns = 'event_id, n, kind, title, description, emoji, image_url, link, created_at';
  return [
    { name: 'items', columns, count: items.length, rows: titled },
    { name: 'item_stock', columns: 'event_id, n, needed, claimed', count: items.length, rows: stock },
    claimTable(items, at),
  ];
}

function claimTable(items: Item[], at: string): Table {
  function* rows(): Generator<Row> {
    let id = 0;
    for (const { event, n, claimers } of items) {
      for (const user of claimers)
        yield [idOf('event', event), n, idOf('user', user), idOf('claim', ++id), 1, at];
    }
  }
  const count = items.reduce((sum, { claimers }) => sum + claimers.length, 0);
  return { name: 'claims', columns: 'event_id, n, user_id, id, quantity, created_at', count, rows };
}
