/** Random events and maps, and a plain grouping of the events that shares no code with the server. */
import { randomUUID } from 'node:crypto';
import { cellOf } from '#record-index';
import { searchVector } from '../../src/modules/events/search-words.ts';
import { createEvent, type Person } from '../support/factories.ts';
import { randomOf } from '../support/random.ts';
import type { TestApp } from '../support/setup.ts';

const { next, below, pick } = randomOf(20_261_123);
const day = 86_400_000;
const base = Date.UTC(2042, 0, 1);

export type Place = { lat: number; lng: number };
type StoredEvent = Place & {
  id: string;
  organizer: string;
  title: string;
  category: string;
  startAt: number;
  endAt: number;
  isListed: boolean;
};

/** Dense cities, the antimeridian, the poles, points on the lines of the grid, and scattered places. */
function randomPlace(): Place {
  const centre = pick([
    { lat: 59.9, lng: 10.7, spread: 0.2 },
    { lat: 48.1, lng: 11.5, spread: 2 },
    { lat: -17, lng: 180, spread: 3 },
    { lat: 89.9, lng: 0, spread: 0.2 },
    { lat: 0, lng: 0, spread: 180 },
  ]);
  const exact = pick([null, null, null, 45, 11.25, 0.25]);
  const round = (value: number) => (exact === null ? value : Math.round(value / exact) * exact + 0);
  const lng = round(centre.lng + (next() * 2 - 1) * centre.spread);
  return {
    lat: Math.max(-90, Math.min(90, round(centre.lat + ((next() * 2 - 1) * centre.spread) / 2))),
    lng: lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng,
  };
}

/** @param organizers their ids */
export function randomEvent(organizers: string[]): StoredEvent {
  const startAt = base + below(60) * (day / 4);
  return {
    ...randomPlace(),
    id: randomUUID(),
    organizer: pick(organizers),
    title: pick(['Jazz at home', 'A quiet evening', 'Jazzy brunch', 'Rare theremin', 'Cards']),
    category: pick(['music', 'food']),
    startAt,
    endAt: startAt + pick([1, 30, 24 * 20]) * (day / 24),
    isListed: next() < 0.9,
  };
}

/** Stores events as copies of an event that the API has created. */
export async function storeEvents(api: TestApp, person: Person, events: StoredEvent[]): Promise<void> {
  const template = await createEvent(api, person, { visibility: 'private' });
  const rows = events.map(({ id, organizer, title, category, startAt, endAt, isListed, lat, lng }) => ({
    id,
    organizer_id: organizer,
    title,
    category,
    start_at: new Date(startAt).toISOString(),
    end_at: new Date(endAt).toISOString(),
    visibility: isListed ? 'public' : pick(['unlisted', 'private']),
    lat,
    lng,
    cell: cellOf(lat, lng),
    search: searchVector({ title, address: 'Somewhere', description: '' }),
  }));
  await api.sql`
    insert into events
    select (jsonb_populate_record(e, r)).*
    from events e cross join jsonb_array_elements(${JSON.stringify(rows)}::jsonb) r where e.id = ${template.id}`;
}

type Box = { west: number; south: number; east: number; north: number };
export type MapQuery = {
  box: Box;
  zoom: number;
  filters: { q?: string; category?: string; dateFrom?: string; dateTo?: string } & Partial<
    Place & { radius: number }
  >;
  isSignedIn: boolean;
};

function randomBox(): Box {
  const world = { west: -180, south: -90, east: 180, north: 90 };
  if (next() < 0.15) return world;
  const [a, b] = [randomPlace(), randomPlace()];
  const size = pick([0, 0.01, 1, 30]);
  if (size === 0)
    return { west: a.lng, south: Math.min(a.lat, b.lat), east: b.lng, north: Math.max(a.lat, b.lat) };
  const wrapped = (lng: number) => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);
  return {
    west: wrapped(a.lng - size),
    south: Math.max(-90, a.lat - size),
    east: wrapped(a.lng + size),
    north: Math.min(90, a.lat + size),
  };
}

export function randomQuery(): MapQuery {
  const from = base + below(20) * day;
  return {
    box: randomBox(),
    zoom: below(23),
    filters: {
      ...(next() < 0.3 && { q: pick(['jazz', 'ja', 'jazzy brunch', 'theremin', 'nothing']) }),
      ...(next() < 0.2 && { category: pick(['music', 'food', 'nonsense']) }),
      ...(next() < 0.3 && { dateFrom: new Date(from).toISOString() }),
      ...(next() < 0.3 && { dateTo: new Date(from + below(9) * day).toISOString() }),
      ...(next() < 0.2 && { ...randomPlace(), radius: pick([50, 500, 15_000]) }),
    },
    isSignedIn: next() < 0.4,
  };
}

/** Great-circle distance, computed from the chord. */
function distanceKm(a: Place, b: Place): number {
  const [p, q] = [a, b].map(({ lat, lng }) => {
    const [phi, lambda] = [(lat / 180) * Math.PI, (lng / 180) * Math.PI];
    return { x: Math.cos(phi) * Math.cos(lambda), y: Math.cos(phi) * Math.sin(lambda), z: Math.sin(phi) };
  }) as [{ x: number; y: number; z: number }, { x: number; y: number; z: number }];
  return 2 * 6371 * Math.asin(Math.min(1, Math.hypot(p.x - q.x, p.y - q.y, p.z - q.z) / 2));
}

function isInside({ west, south, east, north }: Box, { lat, lng }: Place): boolean {
  const isBetween = west <= east ? west <= lng && lng <= east : !(lng > east && lng < west);
  return isBetween && south <= lat && lat <= north;
}

function findMatches(
  events: StoredEvent[],
  blocked: string,
  { box, filters: { q, category, dateFrom, dateTo, lat, lng, radius }, isSignedIn }: MapQuery,
) {
  const words = q?.split(' ') ?? [];
  return events.filter(
    (event) =>
      event.isListed &&
      isInside(box, event) &&
      !(isSignedIn && event.organizer === blocked) &&
      words.every((word) =>
        event.title
          .toLowerCase()
          .split(' ')
          .some((each) => each.startsWith(word)),
      ) &&
      (category === undefined || event.category === category) &&
      (dateFrom === undefined || event.endAt > Date.parse(dateFrom)) &&
      (dateTo === undefined || event.startAt <= Date.parse(dateTo)) &&
      (lat === undefined || lng === undefined || distanceKm({ lat, lng }, event) <= (radius ?? 50)),
  );
}

/**
 * The clusters by the description of the endpoint: the finest grid at or below the zoom with at most 200
 * clusters.
 */
export function expectedMap(events: StoredEvent[], blocked: string, query: MapQuery) {
  const matches = findMatches(events, blocked, query);
  for (let zoom = query.zoom; ; zoom--) {
    const size = 4 * 2 ** zoom;
    const cellOfEvent = ({ lat, lng }: Place) =>
      [Math.floor(((lat + 90) / 180) * size), Math.floor(((lng + 180) / 360) * size)]
        .map((n) => Math.min(n, size - 1))
        .join();
    const groups = [...Map.groupBy(matches, cellOfEvent).values()];
    if (groups.length <= 200) return { zoom, total: matches.length, groups };
  }
}

export const pathOf = ({ box: { west, south, east, north }, zoom, filters }: MapQuery): string => {
  const sent = Object.entries({ bbox: [west, south, east, north].join(), zoom, ...filters });
  return `/v1/events/map?${new URLSearchParams(sent.map(([name, value]) => [name, `${value}`]))}`;
};

/** The smallest box of a cluster; no two clusters share one, except at one place. */
export function boxOf(places: Place[]): number[] {
  const [lats, lngs] = [places.map(({ lat }) => lat), places.map(({ lng }) => lng)];
  return [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)];
}
