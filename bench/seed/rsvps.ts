/** What people answered, saved and claimed; the counters are made from the same numbers. */
import type { Plan } from './events.ts';
import { claimsEvent, deepItems, hotEvent, idOf, scarceItems, userCount } from './ids.ts';
import type { Row, Table } from './load.ts';
import { randomOf } from './random.ts';
import { capitalised, phrase } from './vocabulary.ts';

const rsvpCount = 1_000_000;
const savesOfEach = 10;
const mostAnswers = 5_000;
const itemsOfEach = 10;
const eventsWithItems = 5_000;

/** How many answered each event: few events have most of the answers. */
function planAnswers(plan: Plan): Int32Array {
  const random = randomOf(5);
  const weights = new Float64Array(plan.events + 3);
  for (let n = 1; n <= plan.events; n++) {
    const weight = Math.min((1 - random.next()) ** -0.8, 1_000);
    weights[n] = plan.kindOf(n) === 'private' ? 0 : weight;
  }
  const scale = rsvpCount / weights.reduce((sum, weight) => sum + weight, 0);
  const answers = Int32Array.from(weights, (weight) => Math.min(Math.floor(weight * scale), mostAnswers));
  let left = rsvpCount - answers.reduce((sum, count) => sum + count, 0);
  while (left > 0) {
    const n = 1 + random.below(plan.events);
    if (plan.kindOf(n) === 'private' || (answers[n] ?? 0) >= mostAnswers) continue;
    answers[n] = (answers[n] ?? 0) + 1;
    left--;
  }
  answers[hotEvent(plan.events)] = 0;
  answers[claimsEvent(plan.events)] = userCount;
  return answers;
}

/** The k-th to answer an event: a stride without a factor of the number of people meets nobody twice. */
function answererOf(event: number): (k: number) => number {
  const random = randomOf(event * 2_654_435 + 17);
  const offset = random.below(userCount);
  // Neither 2 nor 5, the only primes in 20,000.
  const stride = 10 * random.below(userCount / 10) + random.pick([1, 3, 7, 9]);
  return (k) => 1 + ((offset + k * stride) % userCount);
}

export function answerTables(plan: Plan): Table[] {
  const answers = planAnswers(plan);
  const special = claimsEvent(plan.events);
  const goingOf = (n: number) => (n === special ? userCount : Math.round((answers[n] ?? 0) * 0.7));
  const listed = chooseForItems(plan, goingOf);
  return [
    rsvpTable(plan, answers, goingOf),
    saveTable(plan),
    counterTable(plan, answers, goingOf, listed),
    ...itemTables(plan, listed, goingOf),
  ];
}

function rsvpTable(plan: Plan, answers: Int32Array, goingOf: (n: number) => number): Table {
  const at = plan.day.toISOString();
  function* rows(): Generator<Row> {
    for (let n = 1; n <= plan.events + 2; n++) {
      const [answerer, going, count] = [answererOf(n), goingOf(n), answers[n] ?? 0];
      for (let k = 0; k < count; k++) {
        yield [idOf('event', n), idOf('user', answerer(k)), k < going ? 'going' : 'interested', null, at];
      }
    }
  }
  const columns = 'event_id, user_id, status, previous, created_at';
  return { name: 'rsvps', columns, count: rsvpCount + userCount, rows };
}

function saveTable(plan: Plan): Table {
  const at = plan.day.toISOString();
  function* rows(): Generator<Row> {
    const random = randomOf(6);
    for (let user = 1; user <= userCount; user++) {
      const chosen = new Set<number>();
      while (chosen.size < savesOfEach) {
        const n = 1 + random.below(plan.events);
        if (plan.kindOf(n) !== 'private') chosen.add(n);
      }
      for (const n of chosen) yield [idOf('event', n), idOf('user', user), at];
    }
  }
  return { name: 'saves', columns: 'event_id, user_id, created_at', count: savesOfEach * userCount, rows };
}

/** Evenly among the listed events that somebody goes to. */
function chooseForItems(plan: Plan, goingOf: (n: number) => number): Set<number> {
  const fit: number[] = [];
  for (let n = 1; n <= plan.events; n++) {
    if (plan.kindOf(n) === 'listed' && goingOf(n) > 0) fit.push(n);
  }
  const step = Math.max(1, fit.length / eventsWithItems);
  const count = Math.min(eventsWithItems, fit.length);
  return new Set(Array.from({ length: count }, (_, i) => fit[Math.floor(i * step)] ?? 1));
}

function counterTable(
  plan: Plan,
  answers: Int32Array,
  goingOf: (n: number) => number,
  listed: Set<number>,
): Table {
  const special = claimsEvent(plan.events);
  const lastItemOf = (n: number) =>
    n === special ? deepItems.count + scarceItems.count : listed.has(n) ? itemsOfEach : 0;
  function* rows(): Generator<Row> {
    for (let n = 1; n <= plan.events + 2; n++)
      yield [idOf('event', n), answers[n] ?? 0, goingOf(n), lastItemOf(n)];
  }
  const columns = 'event_id, rsvp_count, going_count, last_item';
  return { name: 'event_counters', columns, count: plan.events + 2, rows };
}

type Item = { event: number; n: number; needed: number; claimers: number[] };

/** Whoever claims takes one, and is going. */
function planItems(plan: Plan, listed: Set<number>, goingOf: (n: number) => number): Item[] {
  const random = randomOf(7);
  const items: Item[] = [];
  for (const event of listed) {
    const [answerer, going] = [answererOf(event), goingOf(event)];
    for (let n = 1; n <= itemsOfEach; n++) {
      const needed = 1 + random.below(10);
      const claimed = Math.min(random.below(needed + 1), going, 4);
      items.push({ event, n, needed, claimers: Array.from({ length: claimed }, (_, k) => answerer(k)) });
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
