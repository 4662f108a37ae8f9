/** W2: a page of 20 within 50 km, by start, with the exact total. */
import { cellOf } from '#record-index';
import { randomOf } from '../../../test/support/random.ts';
import { cities, type Point, pointNear } from '../../seed/places.ts';
import { type Candidate, listed, randomToken, selectPage, setUser, type WorkItem } from '../environment.ts';

const points = 4_000;
/** The number of pgbench scripts; each contains the cells of one point. */
const scripts = 20;
const radius = 50;
const dayMs = 86_400_000;

/** Categories of ordinary size. */
const categories = ['music', 'food', 'sports', 'community', 'arts', 'outdoors', 'tech', 'learning'];

type Filter = { category: string; from: string; until: string } | null;

const variant = (withToken: boolean, filter: boolean): WorkItem => ({
  item: 'W2',
  variant: [
    filter ? 'category and dates' : '',
    withToken ? 'token' : '',
    filter || withToken ? '' : 'no token',
  ]
    .filter(Boolean)
    .join(', '),
  bestPeer: filter ? null : 82,
  async prepare(environment) {
    const random = randomOf(20);
    const places = Array.from({ length: points }, (_, i) => {
      const city = cities[i % cities.length] ?? random.pick(cities);
      return {
        point: pointNear(random, city, 20),
        filter: filter ? monthFilter(random.pick(categories)) : null,
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

/** A category and a month that starts in a week. */
function monthFilter(category: string): NonNullable<Filter> {
  const dayIn = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
  return { category, from: dayIn(7), until: dayIn(37) };
}

function pathOf({ point, filter }: { point: Point; filter: Filter }): string {
  const params = new URLSearchParams({
    lat: `${point.lat}`,
    lng: `${point.lng}`,
    radius: `${radius}`,
    limit: '20',
  });
  if (filter) params.set('category', filter.category);
  if (filter) params.set('dateFrom', filter.from);
  if (filter) params.set('dateTo', filter.until);
  return `/v1/events?${params}`;
}

function candidates(places: { point: Point; filter: Filter }[], viewer: boolean): Candidate[] {
  const scriptsOf = (statement: (point: Point, when: string) => string) =>
    places.map(
      ({ point, filter }) =>
        `${viewer ? setUser : ''}${statement(point, conditions(filter))} ${selectPage(viewer)}`,
    );
  return [
    { name: 'cells merged', scripts: scriptsOf(merged) },
    { name: 'cells collected', scripts: scriptsOf(collected) },
    { name: 'cells collected, distance of edge cells', scripts: scriptsOf(collectedByCellType) },
  ];
}

/**
 * The condition for events that have not ended. No event of the dataset lasts longer than a week, so the
 * condition on the start lets a scan of the index by start skip older events.
 */
function conditions(filter: Filter): string {
  if (!filter) return `${listed} and e.start_at > now() - interval '7 days' and e.end_at > now()`;
  return `${listed} and e.category = '${filter.category}' and e.start_at > '${filter.from}'::timestamptz - interval '7 days'
    and e.end_at > '${filter.from}' and e.start_at < '${filter.until}'::timestamptz + interval '1 day'`;
}

/**
 * Merges one ordered index scan per cell. Only the events of the edge cells are checked for their distance.
 * Each scan has a LIMIT, because the planner underestimates the number of events in a cell and would read all
 * of them.
 */
function merged(point: Point, when: string): string {
  const { inner, edge } = split(point);
  const within = distance(point);
  const scanCell = (cell: number, condition: string) =>
    `(select e.id, e.start_at from events e where e.cell = ${cell} and ${when} ${condition} order by e.start_at, e.id limit 20)`;
  const parts = [
    ...inner.map((cell) => scanCell(cell, '')),
    ...edge.map((cell) => scanCell(cell, `and ${within}`)),
  ];
  const count = (cells: number[], condition: string) =>
    `(select count(*) from events e where e.cell = any('{${cells}}') and ${when} ${condition})`;
  return `with page as (${parts.join(' union all ')} order by start_at, id limit 20),
    total as (select ${count(inner, '')} + ${count(edge, `and ${within}`)} as total)`;
}

/** Collects all matches once and takes the page and the total from them. */
const collected = (point: Point, when: string): string =>
  fromMatches(`${inCells(cellsOf(point).map(({ cell }) => cell))} and ${when} and ${distance(point)}`);

function collectedByCellType(point: Point, when: string): string {
  const { inner, edge } = split(point);
  return fromMatches(`${inCells(inner)} and ${when}`, `${inCells(edge)} and ${when} and ${distance(point)}`);
}

const inCells = (cells: number[]) => `e.cell = any('{${cells}}')`;

const fromMatches = (...conditions: string[]): string => `with matches as materialized (
    ${conditions.map((condition) => `select e.id, e.start_at from events e where ${condition}`).join(' union all ')}
  ), total as (select count(*) as total from matches),
  page as (select * from matches order by start_at, id limit 20)`;

const distance = ({ lat, lng }: Point) => `distance_km(${lat}, ${lng}, e.lat, e.lng) <= ${radius}`;

const cellDegrees = 0.25;
const steps = (from: number, to: number) =>
  Array.from(
    { length: Math.floor(to / cellDegrees) - Math.floor(from / cellDegrees) + 1 },
    (_, i) => (Math.floor(from / cellDegrees) + i) * cellDegrees,
  );

type Cell = { cell: number; isInner: boolean };

/** The cells that intersect the circle. Inner cells are entirely inside. No city is near ±180° or a pole. */
function cellsOf(point: Point): Cell[] {
  const reach = radius / 111;
  const reachLng = reach / Math.cos((Math.abs(point.lat) + reach) * (Math.PI / 180));
  const cells: Cell[] = [];
  for (const south of steps(point.lat - reach, point.lat + reach)) {
    for (const west of steps(point.lng - reachLng, point.lng + reachLng)) {
      const corners = [0, cellDegrees].flatMap((up) =>
        [0, cellDegrees].map((east) => ({ lat: south + up, lng: west + east })),
      );
      const nearest = { lat: clamp(point.lat, south), lng: clamp(point.lng, west) };
      if (kilometres(point, nearest) > radius + 1) continue;
      // The edges of a cell are slightly curved, hence the tolerances.
      const isInner = corners.every((corner) => kilometres(point, corner) < radius - 0.1);
      cells.push({ cell: cellOf(south + cellDegrees / 2, west + cellDegrees / 2), isInner });
    }
  }
  return cells;
}

const clamp = (value: number, from: number) => Math.min(Math.max(value, from), from + cellDegrees);

function split(point: Point): { inner: number[]; edge: number[] } {
  const cells = cellsOf(point);
  const numbers = (inner: boolean) =>
    cells.filter(({ isInner }) => isInner === inner).map(({ cell }) => cell);
  return { inner: numbers(true), edge: numbers(false) };
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
