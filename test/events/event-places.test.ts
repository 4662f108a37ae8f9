import assert from 'node:assert/strict';
import test from 'node:test';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { atPlace, createListClient } from '../support/list-client.ts';
import { expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);

const { ask: send, list, refused: expectRefused } = createListClient(api);
const create = (overrides: Record<string, unknown>) => createEvent(api, organizer, overrides);

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;
/** The point at a distance and an initial bearing, on a sphere with a radius of 6,371 km. */
function travel(lat: number, lng: number, bearing: number, km: number): [number, number] {
  const [phi, theta, delta] = [radians(lat), radians(bearing), km / 6371];
  const arrivalLat = Math.asin(
    Math.sin(phi) * Math.cos(delta) + Math.cos(phi) * Math.sin(delta) * Math.cos(theta),
  );
  const turn = Math.atan2(
    Math.sin(theta) * Math.sin(delta) * Math.cos(phi),
    Math.cos(delta) - Math.sin(phi) * Math.sin(arrivalLat),
  );
  return [degrees(arrivalLat), ((((lng + degrees(turn) + 540) % 360) + 360) % 360) - 180];
}

// spec: 4.9 GET /v1/events: `radius`: km, default 50
// spec: 8 GET /v1/events: `radius` default 50 km
test('radius: 50 km by default, measured on a sphere, and elements have distanceKm', async () => {
  const [lat, lng] = [48.2082, 16.3738];
  await create({ title: 'here', category: 'tech', ...atPlace(lat, lng) });
  for (const bearing of [0, 45, 90, 200, 270]) {
    for (const km of [49.9, 50.1]) {
      await create({
        title: `${km} km, ${bearing}°`,
        category: 'tech',
        ...atPlace(...travel(lat, lng, bearing, km)),
      });
    }
  }
  for (const query of [{}, { radius: 50 }]) {
    const { data, total } = await list({ category: 'tech', lat, lng, ...query });
    assert.equal(total, 6);
    for (const { title, distanceKm } of data) assert.equal(distanceKm, title === 'here' ? 0 : 49.9, title);
  }
  assert.equal((await list({ category: 'tech', lat, lng, radius: 50.2 })).total, 11);
  assert.equal((await list({ category: 'tech', lat, lng, radius: 0.1 })).total, 1);
  for (const event of (await list({ category: 'tech' })).data) assert.ok(!('distanceKm' in event));
});

// spec: 4.9 GET /v1/events: `lat`, `lng`
test('radius: exact results across the antimeridian, at both poles, and up to the whole globe', async () => {
  const places: [number, number][] = [
    [0, 179.9],
    [0, -179.9],
    [0, 180],
    [0, -180],
    [90, 0],
    [89.7, 90],
    [89.7, -90],
    [-90, 45],
    [-89.8, 170],
    [-89.8, -10],
  ];
  for (const [lat, lng] of places)
    await create({ title: `${lat} ${lng}`, category: 'outdoors', ...atPlace(lat, lng) });
  for (const [lat, lng, radius, titles] of [
    [0, 179.95, 20, ['0 179.9', '0 -179.9', '0 180', '0 -180']],
    [0, -179.95, 10, ['0 -179.9', '0 180', '0 -180']],
    [0, -180, 1, ['0 180', '0 -180']],
    [0, 180, 1, ['0 180', '0 -180']],
    [90, 123, 1, ['90 0']],
    [90, -77, 34, ['90 0', '89.7 90', '89.7 -90']],
    [89.7, 90, 67, ['90 0', '89.7 90', '89.7 -90']],
    [89.7, 90, 66, ['90 0', '89.7 90']],
    [-90, 0, 23, ['-90 45', '-89.8 170', '-89.8 -10']],
    [-89.8, 170, 30, ['-90 45', '-89.8 170']],
    [0, 0, 20_016, places.map(([lat, lng]) => `${lat} ${lng}`)],
    [
      0,
      0,
      20_015,
      places
        .filter(([lat]) => Math.abs(lat) > 1)
        .concat([
          [0, 179.9],
          [0, -179.9],
        ])
        .map(([lat, lng]) => `${lat} ${lng}`),
    ],
    [-90, 0, 20_040, places.map(([lat, lng]) => `${lat} ${lng}`)],
  ] as const) {
    const results = await list({ category: 'outdoors', lat, lng, radius });
    assert.deepEqual(
      [results.titles.toSorted(), results.total],
      [titles.toSorted(), titles.length],
      `${lat} ${lng} ${radius}`,
    );
  }
});

// spec: 4.9 GET /v1/events: `lat`, `lng`
test('radius: 400 naming the parameter that is missing or out of range', async () => {
  await expectRefused({ radius: 10 }, 'radius');
  await expectRefused({ lat: 1 }, 'lng');
  await expectRefused({ lng: 1 }, 'lat');
  await expectRefused({ lat: 1, radius: 5 }, 'lng');
  for (const lat of [90.1, -91, 'north', '', 'NaN', 'Infinity', '-1e400'])
    await expectRefused({ lat, lng: 0 }, 'lat');
  for (const lng of [180.1, -181, 'east', '']) await expectRefused({ lat: 0, lng }, 'lng');
  for (const radius of [0, -1, 'far', '', 20_041, 'Infinity'])
    await expectRefused({ lat: 0, lng: 0, radius }, 'radius');
});

test('radius: 200 for points with almost equal coordinates', async () => {
  const tiny = [0, 5e-324, -1e-200, 1e-160, 1e-20];
  for (const [i, lat] of tiny.entries())
    await create({ category: 'party', ...atPlace(lat, tiny[tiny.length - 1 - i] ?? 0) });
  for (const lat of tiny) {
    for (const lng of tiny) {
      const { data, total } = await list({ category: 'party', lat, lng, radius: 1e-6 });
      assert.deepEqual([total, ...data.map((event) => event.distanceKm)], [5, 0, 0, 0, 0, 0]);
    }
  }
  for (const [lat, lng] of [
    [90, 0],
    [-90, 180],
  ]) {
    expectStatus(await send({ lat: lat ?? 0, lng: lng ?? 0, radius: 20_040 }), 200);
  }
});
