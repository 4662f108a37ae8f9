/**
 * Varied queries, like those of real users: every request is drawn at random, each round draws new requests, and the
 * server restarts before each round. So no cache of responses helps, and the first request for a record is cold.
 */
import type { Statement } from '#pg';
import { type EventQuery, type Order, readEventQuery } from '../../../src/modules/discovery/event-query.ts';
import { listStatement } from '../../../src/modules/discovery/sql-lists.ts';
import { type Random, randomOf } from '../../../test/support/random.ts';
import { type Candidate, type Environment, eventColumns, type WorkItem } from '../environment.ts';

/** Query parameters of `GET /v1/events` or, with the order `relevance`, of `GET /v1/events/search`. */
type Question = { order: Order; query: Record<string, string | number> };
/** Titles and places of events. */
export type EventSource = { titles: string[]; places: { lat: number; lng: number }[] };
type Source = EventSource & { words: string[] };
type Kind = { item: string; variant: string; ask: (random: Random, source: Source) => Question };

const requestsPerRound = 20_000;
/** pgbench picks one of these at random. */
const scriptCount = 100;
const seconds = 86_400_000;
export const categories = ['music', 'food', 'sports', 'arts', 'community'];

const titleWords = (random: Random, { titles }: Source): string[] =>
  random
    .pick(titles)
    .toLowerCase()
    .match(/[a-z]+/g) ?? ['jazz'];
const byFrequency = (random: Random, source: Source): string => random.pick(titleWords(random, source));
const uniformly = (random: Random, { words }: Source): string => random.pick(words);
const pageOf = (random: Random): number => 1 + random.below(5);
const circle = (random: Random, { places }: Source) => {
  const { lat, lng } = random.pick(places);
  return {
    lat: lat.toFixed(4),
    lng: lng.toFixed(4),
    radius: Math.exp(random.next() * Math.log(500)).toFixed(1),
  };
};
const prefixOf = (random: Random, word: string): string => word.slice(0, 1 + random.below(3));

const inDays = (days: number): string => new Date(Date.now() + days * seconds).toISOString().slice(0, 10);

function mixed(random: Random, source: Source): Record<string, string | number> {
  const first = random.below(200);
  const isRange = random.below(2) === 0;
  return {
    ...(isRange && { dateFrom: inDays(first), dateTo: inDays(first + random.below(60)) }),
    ...(random.below(2) === 0 && { category: random.pick(categories) }),
    ...(random.below(2) === 0 && circle(random, source)),
    page: pageOf(random),
  };
}

const kinds: Kind[] = [
  {
    item: 'V1',
    variant: 'word, frequent, relevance',
    ask: (r, s) => ({ order: 'relevance', query: { q: byFrequency(r, s) } }),
  },
  {
    item: 'V1',
    variant: 'word, frequent, start',
    ask: (r, s) => ({ order: 'start', query: { q: byFrequency(r, s) } }),
  },
  {
    item: 'V1',
    variant: 'word, uniform, relevance',
    ask: (r, s) => ({ order: 'relevance', query: { q: uniformly(r, s), page: pageOf(r) } }),
  },
  {
    item: 'V1',
    variant: 'word, uniform, start',
    ask: (r, s) => ({ order: 'start', query: { q: uniformly(r, s), page: pageOf(r) } }),
  },
  {
    item: 'V2',
    variant: 'two words, frequent',
    ask: (r, s) => {
      const words = titleWords(r, s);
      return { order: 'relevance', query: { q: `${r.pick(words)} ${r.pick(words)}` } };
    },
  },
  {
    item: 'V2',
    variant: 'two words, uniform',
    ask: (r, s) => ({
      order: 'relevance',
      query: { q: `${uniformly(r, s)} ${uniformly(r, s)}`, page: pageOf(r) },
    }),
  },
  {
    item: 'V3',
    variant: 'prefix, frequent',
    ask: (r, s) => ({ order: 'relevance', query: { q: prefixOf(r, byFrequency(r, s)) } }),
  },
  {
    item: 'V3',
    variant: 'prefix, uniform',
    ask: (r, s) => ({ order: 'relevance', query: { q: prefixOf(r, uniformly(r, s)), page: pageOf(r) } }),
  },
  { item: 'V4', variant: 'circle of 1 to 500 km', ask: (r, s) => ({ order: 'start', query: circle(r, s) }) },
  {
    item: 'V5',
    variant: 'word in a circle',
    ask: (r, s) => ({ order: 'start', query: { q: byFrequency(r, s), ...circle(r, s) } }),
  },
  {
    item: 'V6',
    variant: 'dates, category, place, page',
    ask: (r, s) => ({ order: 'start', query: mixed(r, s) }),
  },
  {
    item: 'V7',
    variant: 'pages 1 to 2,000',
    ask: (r) => ({ order: 'start', query: { page: 1 + r.below(2_000) } }),
  },
];

export async function readEventSource({ sql }: Environment): Promise<EventSource> {
  const events = await sql<{ title: string; lat: number; lng: number }[]>`
    select title, lat, lng from events e tablesample bernoulli (20) repeatable (1)
    where e.visibility = 'public' and e.status = 'scheduled' and not e.hidden`;
  return { titles: events.map(({ title }) => title), places: events };
}

async function readSource(environment: Environment): Promise<Source> {
  const words = await environment.sql<{ word: string }[]>`
    select word from ts_stat('select search from events e where e.visibility = ''public''') order by word`;
  return { ...(await readEventSource(environment)), words: words.map(({ word }) => word) };
}

let source: Promise<Source> | undefined;

const pathOf = ({ order, query }: Question): string => {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]));
  return `/v1/events${order === 'relevance' ? '/search' : ''}?${parameters}`;
};

/** A statement with its values as literals: pgbench has no parameters of these types. */
function withLiterals(statement: Statement): string {
  const { text, values } = statement.render(false);
  return text.replaceAll(/\$(\d+)/g, (_, n: string) => literal(values[Number(n) - 1]));
}

function literal(value: unknown): string {
  if (typeof value === 'number') return `${value}`;
  if (Array.isArray(value)) return `'{${value.join(',')}}'`;
  // To pgbench a colon begins a variable.
  const text = (value instanceof Date ? value.toISOString() : String(value)).replaceAll("'", "''");
  const quoted = `replace('${text.replaceAll(':', '~')}', '~', chr(58))`;
  return value instanceof Date ? `${quoted}::timestamptz` : quoted;
}

/** The statement of SQL mode, and the rows of its page. */
function scriptOf({ order, query: { page = 1, ...parameters } }: Question): string {
  const query: EventQuery = readEventQuery(toTyped(parameters), new Date());
  const statement = listStatement(
    { ...query, order, hiddenOrganizers: [] },
    { page: Number(page), limit: 20 },
  );
  const text = withLiterals(statement).replace(/\s+/g, ' ');
  return `select p.total, ${eventColumns} from (${text}) p
    left join events e on e.id = p.id left join event_counters c on c.event_id = e.id;`;
}

const toTyped = (query: Record<string, string | number>) =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      ['lat', 'lng', 'radius'].includes(name) ? Number(value) : value,
    ]),
  );

function candidates({ ask }: Kind, source: Source): Candidate[] {
  const random = randomOf(7);
  const scripts = Array.from({ length: scriptCount }, () => scriptOf(ask(random, source)));
  return [{ name: 'one statement', scripts }];
}

const toWorkItem = (kind: Kind, isBesideWrites: boolean): WorkItem => ({
  item: kind.item,
  variant: isBesideWrites ? `${kind.variant}, beside writes` : kind.variant,
  bestPeer: null,
  once: true,
  isCold: true,
  isBesideWrites,
  async prepare(environment, seed = 1) {
    source ??= readSource(environment);
    const found = await source;
    const random = randomOf(seed);
    const requests = Array.from({ length: requestsPerRound }, () => ({
      method: 'GET' as const,
      path: pathOf(kind.ask(random, found)),
    }));
    return { requests, candidates: isBesideWrites ? [] : candidates(kind, found) };
  },
});

export const varied: WorkItem[] = kinds.flatMap((kind) => [toWorkItem(kind, false), toWorkItem(kind, true)]);
