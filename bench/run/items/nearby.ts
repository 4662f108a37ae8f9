/** W2: a page of 20 within 50 km, by start, with the exact total. */
import { cellOf } from '../../../src/lib/grid-cells.ts';
import { cities, type Point, pointNear } from '../../seed/places.ts';
import { randomOf } from '../../seed/random.ts';
import { type Candidate, listed, randomToken, setUser, type WorkItem, wideRows } from '../environment.ts';

const points = 4_000;
/** A script of pgbench for each of so many points, with its cells written out. */
const scripts = 20;
const radius = 50;
const dayMs = 86_400_000;

/** Categories of ordinary size. */
const categories = ['music', 'food', 'sports', 'community', 'arts', 'outdoors', 'tech', 'learning'];

type Narrow = { category: string; from: string; until: string } | null;

const variant = (withToken: boolean, narrow: boolean): WorkItem => ({
  item: 'W2',
  variant: [
    narrow ? 'category and dates' : '',
    withToken ? 'token' : '',
    narrow || withToken ? '' : 'no token',
  ]
    .filter(Boolean)
    .join(', '),
  bestPeer: narrow ? null : 82,
  async prepare(environment) {
    const random = randomOf(20);
    const places = Array.from({ length: points }, (_, i) => {
      const city = cities[i % cities.length] ?? random.pick(cities);
      return {
        point: pointNear(random, city, 20),
        narrow: narrow ? narrowing(random.pick(categories)) : null,
      };
    });
    const requests = places.map((place) => ({
      method: 'GET' as const,
      path: pathOf(place),
      ...(withToken && { token: randomToken(environment, random) }),
    }));
    return { requests, candidates: candidates(places.slice(0, scripts), withToken) };
  },
});

/** A month, beginning next week. */
function narrowing(category: string): NonNullable<Narrow> {
  const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
  return { category, from: dayIn(7), until: dayIn(37) };
}

function pathOf({ point, narrow }: { point: Point; narrow: Narrow }): string {
  const wanted = new URLSearchParams({
    lat: `${point.lat}`,
    lng: `${point.lng}`,
    radius: `${radius}`,
    limit: '20',
  });
  if (narrow) wanted.set('category', narrow.category);
  if (narrow) wanted.set('dateFrom', narrow.from);
  if (narrow) wanted.set('dateTo', narrow.until);
  return `/v1/events?${wanted}`;
}

function candidates(places: { point: Point; narrow: Narrow }[], viewer: boolean): Candidate[] {
  const made = (statement: (point: Point, when: string) => string) =>
    places.map(
      ({ point, narrow }) =>
        `${viewer ? setUser : ''}${statement(point, conditions(narrow))} ${wideRows(viewer)}`,
    );
  return [
    { name: 'cells merged', scripts: made(merged) },
    { name: 'cells gathered', scripts: made(gathered) },
    { name: 'cells gathered, rim measured', scripts: made(gatheredByRim) },
  ];
}

/**
 * Nothing in the dataset lasts longer than a week, so what has not ended began less than a week ago: a limit may know
 * that, and an index by start then need not be read from the beginning of time.
 */
function conditions(narrow: Narrow): string {
  if (!narrow) return `${listed} and e.start_at > now() - interval '7 days' and e.end_at > now()`;
  return `${listed} and e.category = '${narrow.category}' and e.start_at > '${narrow.from}'::timestamptz - interval '7 days'
    and e.end_at > '${narrow.from}' and e.start_at < '${narrow.until}'::timestamptz + interval '1 day'`;
}

/**
 * An ordered scan of the index for each cell, of which the page takes the first; distance is measured in the rim's cells
 * alone. Each scan has a limit of its own: the planner thinks cells emptier than they are, and would read them whole.
 */
function merged(point: Point, when: string): string {
  const { inner, rim } = split(point);
  const within = distance(point);
  const first = (cell: number, also: string) =>
    `(select e.id, e.start_at from events e where e.cell = ${cell} and ${when} ${also} order by e.start_at, e.id limit 20)`;
  const parts = [...inner.map((cell) => first(cell, '')), ...rim.map((cell) => first(cell, `and ${within}`))];
  const count = (cells: number[], also: string) =>
    `(select count(*) from events e where e.cell = any('{${cells}}') and ${when} ${also})`;
  return `with page as (${parts.join(' union all ')} order by start_at, id limit 20),
    total as (select ${count(inner, '')} + ${count(rim, `and ${within}`)} as total)`;
}

/** All that match, gathered once; page and total are taken from there. */
const gathered = (point: Point, when: string): string =>
  fromMatches(`${inCells(cellsOf(point).map(({ cell }) => cell))} and ${when} and ${distance(point)}`);

function gatheredByRim(point: Point, when: string): string {
  const { inner, rim } = split(point);
  return fromMatches(`${inCells(inner)} and ${when}`, `${inCells(rim)} and ${when} and ${distance(point)}`);
}

const inCells = (cells: number[]) => `e.cell = any('{${cells}}')`;

const fromMatches = (...conditions: string[]): string => `with matches as materialized (
    ${conditions.map((condition) => `select e.id, e.start_at from events e where ${condition}`).join(' union all ')}
  ), total as (select count(*) as total from matches),
  page as (select * from matches order by start_at, id limit 20)`;

const distance = ({ lat, lng }: Point) => `distance_km(${lat}, ${lng}, e.lat, e.lng) <= ${radius}`;

const side = 0.25;
const steps = (from: number, to: number) =>
  Array.from(
    { length: Math.floor(to / side) - Math.floor(from / side) + 1 },
    (_, i) => (Math.floor(from / side) + i) * side,
  );

type Cell = { cell: number; isInner: boolean };

/** The cells that the circle touches; inner ones lie in it with all their corners. No city is near ±180° or a pole. */
function cellsOf(point: Point): Cell[] {
  const reach = radius / 111;
  const wide = reach / Math.cos((Math.abs(point.lat) + reach) * (Math.PI / 180));
  const found: Cell[] = [];
  for (const south of steps(point.lat - reach, point.lat + reach)) {
    for (const west of steps(point.lng - wide, point.lng + wide)) {
      const corners = [0, side].flatMap((up) =>
        [0, side].map((east) => ({ lat: south + up, lng: west + east })),
      );
      const nearest = { lat: clamp(point.lat, south), lng: clamp(point.lng, west) };
      if (kilometres(point, nearest) > radius + 1) continue;
      // The sides of a cell are not quite straight, so both ways a little is left.
      const isInner = corners.every((corner) => kilometres(point, corner) < radius - 0.1);
      found.push({ cell: cellOf(south + side / 2, west + side / 2), isInner });
    }
  }
  return found;
}

const clamp = (value: number, from: number) => Math.min(Math.max(value, from), from + side);

function split(point: Point): { inner: number[]; rim: number[] } {
  const cells = cellsOf(point);
  const numbers = (inner: boolean) =>
    cells.filter(({ isInner }) => isInner === inner).map(({ cell }) => cell);
  return { inner: numbers(true), rim: numbers(false) };
}

function kilometres(a: Point, b: Point): number {
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2;
  const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
  return 2 * 6371 * Math.asin(Math.sqrt(half(b.lat - a.lat) + cos(a.lat) * cos(b.lat) * half(b.lng - a.lng)));
}

export const nearby: WorkItem[] = [
  variant(false, false),
  variant(true, false),
  variant(false, true),
  variant(true, true),
];
