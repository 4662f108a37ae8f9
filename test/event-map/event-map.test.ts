/** GET /v1/events/map, from the discovery index and from the database. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import {
  boxOf,
  expectedMap,
  type MapQuery,
  type Place,
  pathOf,
  randomEvent,
  randomQuery,
  storeEvents,
} from './event-map-model.ts';

const database = await startTestApp();
const [viewer, organizer, blocked] = await Promise.all([
  createUser(database),
  createUser(database),
  createUser(database),
]);
expectStatus(await database.post(`/v1/users/${blocked.id}/block`, viewer.token), 200);

const events = Array.from({ length: 2_000 }, () => randomEvent([organizer.id, organizer.id, blocked.id]));
await storeEvents(database, organizer, events);
// These servers load their index with the stored events.
const api = await startBothModes(database);

const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
type Cluster = Place & { count: number; bbox: [number, number, number, number]; eventId?: string };
const byBox = (a: { bbox: number[] }, b: { bbox: number[] }) => (a.bbox.join() < b.bbox.join() ? -1 : 1);

// spec: 4.9 GET /v1/events/map: clusters of the events in a box
test('map: clusters equal those of a plain grouping, for random boxes, zooms and filters', async () => {
  let [coarser, crossing, nonEmpty] = [0, 0, 0];
  async function check(query: MapQuery): Promise<void> {
    const { body } = expectStatus(
      await api.get(pathOf(query), query.isSignedIn ? viewer.token : undefined),
      200,
    );
    const { zoom, total, groups } = expectedMap(events, blocked.id, query);
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
  const queries = Array.from({ length: often(1_000) }, randomQuery);
  while (queries.length > 0) await Promise.all(queries.splice(0, 20).map(check));
  assert.ok(coarser > often(50, 2), `only ${coarser} maps have a coarser grid`);
  assert.ok(crossing > often(50, 2), `only ${crossing} maps cross the antimeridian`);
  assert.ok(nonEmpty > often(400, 30), `only ${nonEmpty} maps have events`);
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
