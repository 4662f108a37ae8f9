/** GET /v1/events/map, from the discovery index and from the database. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { randomOf } from '../bench/seed/random.ts';
import { cellOf } from '../src/lib/grid-cells.ts';
import { searchVector } from '../src/modules/events/search-words.ts';
import { startBothModes } from './both-modes.ts';
import { createEvent, createUser } from './factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const { next, below, pick } = randomOf(20_261_123);
const day = 86_400_000;
const base = Date.UTC(2042, 0, 1);

type Place = { lat: number; lng: number };
type StoredEvent = Place & {
  id: string;
  organizer: string;
  title: string;
  category: string;
  startAt: number;
  endAt: number;
  isListed: boolean;
};

const database = await startTestApp();
const [viewer, organizer, blocked] = await Promise.all([
  createUser(database),
  createUser(database),
  createUser(database),
]);
expectStatus(await database.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);

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

function randomEvent(): StoredEvent {
  const startAt = base + below(60) * (day / 4);
  return {
    ...randomPlace(),
    id: randomUUID(),
    organizer: pick([organizer.id, organizer.id, blocked.id]),
    title: pick(['Jazz at home', 'A quiet evening', 'Jazzy brunch', 'Rare theremin', 'Cards']),
    category: pick(['music', 'food']),
    startAt,
    endAt: startAt + pick([1, 30, 24 * 20]) * (day / 24),
    isListed: next() < 0.9,
  };
}

/** Stores events as copies of an event that the API has created. */
async function store(events: StoredEvent[]): Promise<void> {
  const template = await createEvent(database, organizer, { visibility: 'private' });
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
  await database.sql`
    insert into events
    select (jsonb_populate_record(e, r)).*
    from events e cross join jsonb_array_elements(${JSON.stringify(rows)}::jsonb) r where e.id = ${template.id}`;
}

const events = Array.from({ length: 2_000 }, randomEvent);
await store(events);
// These servers load their index with the stored events.
const api = await startBothModes(database);

type Box = { west: number; south: number; east: number; north: number };
type Query = {
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

function randomQuery(): Query {
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

function findMatches({
  box,
  filters: { q, category, dateFrom, dateTo, lat, lng, radius },
  isSignedIn,
}: Query) {
  const words = q?.split(' ') ?? [];
  return events.filter(
    (event) =>
      event.isListed &&
      isInside(box, event) &&
      !(isSignedIn && event.organizer === blocked.id) &&
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
function expectedMap(query: Query) {
  const matches = findMatches(query);
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

const pathOf = ({ box: { west, south, east, north }, zoom, filters }: Query): string => {
  const sent = Object.entries({ bbox: [west, south, east, north].join(), zoom, ...filters });
  return `/v1/events/map?${new URLSearchParams(sent.map(([name, value]) => [name, `${value}`]))}`;
};

/** The smallest box of a cluster; no two clusters share one, except at one place. */
function boxOf(places: Place[]): number[] {
  const [lats, lngs] = [places.map(({ lat }) => lat), places.map(({ lng }) => lng)];
  return [Math.min(...lngs), Math.min(...lats), Math.max(...lngs), Math.max(...lats)];
}

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
type Cluster = Place & { count: number; bbox: [number, number, number, number]; eventId?: string };
const byBox = (a: { bbox: number[] }, b: { bbox: number[] }) => (a.bbox.join() < b.bbox.join() ? -1 : 1);

// spec: 4.9 GET /v1/events/map: clusters of the events in a box
test('map: clusters equal those of a plain grouping, for 1,000 random boxes, zooms and filters', async () => {
  let [coarser, crossing, nonEmpty] = [0, 0, 0];
  async function check(query: Query): Promise<void> {
    const { body } = expectStatus(
      await api.get(pathOf(query), query.isSignedIn ? viewer.token : undefined),
      200,
    );
    const { zoom, total, groups } = expectedMap(query);
    assert.deepEqual(body.meta, { total, zoom }, pathOf(query));
    const clusters: Cluster[] = body.data;
    assert.ok(clusters.length <= 200);
    assert.equal(
      clusters.reduce((sum, { count }) => sum + count, 0),
      total,
    );
    const expected = groups
      .map((group) => ({
        count: group.length,
        bbox: boxOf(group),
        ...(group.length === 1 && { eventId: group[0]?.id }),
      }))
      .sort(byBox);
    assert.deepEqual(
      clusters.map(({ lat: _lat, lng: _lng, ...rest }) => rest).sort(byBox),
      expected,
      pathOf(query),
    );
    const groupsByBox = new Map(groups.map((group) => [boxOf(group).join(), group]));
    for (const { lat, lng, bbox } of clusters) {
      const group = groupsByBox.get(bbox.join()) ?? [];
      assert.ok(Math.abs(lat - mean(group.map((event) => event.lat))) < 1e-6);
      assert.ok(Math.abs(lng - mean(group.map((event) => event.lng))) < 1e-6);
    }
    assert.deepEqual(
      clusters,
      clusters.toSorted((a, b) => b.count - a.count),
      'the largest first',
    );
    coarser += Number(zoom < query.zoom);
    crossing += Number(query.box.west > query.box.east && total > 0);
    nonEmpty += Number(total > 0);
  }
  const queries = Array.from({ length: 1_000 }, randomQuery);
  while (queries.length > 0) await Promise.all(queries.splice(0, 20).map(check));
  assert.ok(coarser > 50, `only ${coarser} maps have a coarser grid`);
  assert.ok(crossing > 50, `only ${crossing} maps cross the antimeridian`);
  assert.ok(nonEmpty > 400, `only ${nonEmpty} maps have events`);
});

// spec: 4.9 GET /v1/events/map: clusters of the events in a box
test('map: 400 naming bbox unless it is a box in degrees, and naming zoom outside 0 to 22', async () => {
  for (const bbox of [
    '',
    '1,2,3',
    '1,2,3,4,5',
    '1,2,3,x',
    '1,2,3,',
    '1,2,3,0x4',
    '-180.1,0,1,1',
    '0,0,180.5,1',
    '0,-90.5,1,1',
    '0,0,1,91',
    '0,2,1,1',
    'NaN,0,1,1',
    '0,0,1,1e400',
    '0, 0, 1, 1',
  ]) {
    const query = new URLSearchParams({ bbox, zoom: '3' });
    const { body } = expectProblem(await api.get(`/v1/events/map?${query}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['bbox'],
      bbox,
    );
    assert.match(body.errors[0].message, /west,south,east,north/);
  }
  for (const [query, fields] of [
    ['zoom=3', ['bbox']],
    ['bbox=0,0,1,1', ['zoom']],
    ['bbox=0,0,1,1&zoom=23', ['zoom']],
    ['bbox=0,0,1,1&zoom=-1', ['zoom']],
    ['bbox=0,0,1,1&zoom=1.5', ['zoom']],
    ['bbox=0,0,1,1&zoom=3&page=1', ['page']],
    ['bbox=0,0,1,1&zoom=3&lat=1', ['lng']],
    ['bbox=0,0,1,1&zoom=3&dateFrom=2026-02-03&dateTo=2026-02-01', ['dateTo']],
  ] as const) {
    const { body } = expectProblem(await api.get(`/v1/events/map?${query}`), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      fields,
      query,
    );
  }
});

// spec: 4.9 GET /v1/events/map: clusters of the events in a box
test('map: a created, moved, cancelled, blocked and deleted event is in the next map of the other server', async () => {
  const other: TestApp = await api.startAnother();
  const guest = await createUser(api);
  const organizer = await createUser(api);
  const at = (lat: number, lng: number) => ({ location: { address: 'At sea', lat, lng } });
  const ask = async (token?: string): Promise<Cluster[]> => {
    const maps = await Promise.all(
      [api, other].map((server) => server.get('/v1/events/map?bbox=-60.5,-60.5,-60,-60&zoom=14', token)),
    );
    const [first, second] = maps.map((response) => expectStatus(response, 200).body);
    assert.deepEqual(first, second);
    return first.data;
  };
  assert.deepEqual(await ask(), []);
  const { id } = await createEvent(other, organizer, at(-60.1234567, -60.2));
  const alone = {
    lat: -60.1234567,
    lng: -60.2,
    count: 1,
    bbox: [-60.2, -60.1234567, -60.2, -60.1234567],
    eventId: id,
  };
  assert.deepEqual(await ask(), [alone]);
  const { id: neighbour } = await createEvent(api, organizer, at(-60.1234567, -60.2));
  const { eventId: _id, ...both } = { ...alone, count: 2 };
  assert.deepEqual(await ask(), [both]);
  expectStatus(await other.patch(`/v1/events/${neighbour}`, organizer.token, at(-60.4, -60.3)), 200);
  assert.deepEqual((await ask()).map(({ eventId }) => eventId).sort(), [id, neighbour].sort());
  expectStatus(await api.patch(`/v1/events/${neighbour}`, organizer.token, { status: 'cancelled' }), 200);
  assert.deepEqual(await ask(), [alone]);
  expectStatus(await other.post(`/v1/users/${organizer.id}/block`, guest.token), 200);
  assert.deepEqual([await ask(guest.token), await ask()], [[], [alone]]);
  expectStatus(await other.delete(`/v1/events/${id}`, organizer.token), 200);
  assert.deepEqual(await ask(), []);
});
