/** The search for streets through a geocoder that speaks as Photon or as Nominatim. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { after } from 'node:test';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';

type Asked = { path: string; query: URLSearchParams; userAgent: string; at: number };
const asked: Asked[] = [];
type Answer = (request: IncomingMessage, response: ServerResponse, asked: Asked) => void;
const json =
  (body: unknown, status = 200): Answer =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const nominatim = json([
  {
    ...{ lat: '57.70716', lon: '11.96679', name: '' },
    address: {
      road: 'Götgatan',
      house_number: '5',
      city: 'Göteborg',
      postcode: '411 05',
      country_code: 'se',
    },
  },
  { lat: '99', lon: '0', name: 'Nowhere', address: { country_code: 'se' } },
]);
const photon = json({
  type: 'FeatureCollection',
  features: [
    {
      geometry: { type: 'Point', coordinates: [13.37772, 52.51628] },
      properties: { street: 'Pariser Platz', housenumber: '1', city: 'Berlin', countrycode: 'DE' },
    },
    {
      geometry: { type: 'Point', coordinates: [13.4, 52.5] },
      properties: { name: 'Alexanderplatz', countrycode: 'DE' },
    },
    { geometry: null, properties: {} },
  ],
});

let answer: Answer = nominatim;
const server = createServer((request, response) => {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
  const { 'user-agent': userAgent = '' } = request.headers;
  const now = { path, query, userAgent, at: performance.now() };
  asked.push(now);
  answer(request, response, now);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  server.closeAllConnections();
  server.close();
});
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const clock = new TestClock();
const start = (url: string) => startTestApp({ env: { GEOCODER_URL: url }, clock });
const api = await start(`${address}/search`);
const search = async (q: string, on: Pick<typeof api, 'get'> = api, more = '') =>
  expectStatus(await on.get(`/v1/places?street=true&q=${encodeURIComponent(q)}${more}`), 200).body;

test('streets: 200 with the spot of a street from Nominatim, its town, zone and attribution', async () => {
  answer = nominatim;
  const { data, attribution } = await search('Götgatan 5, Göteborg');
  assert.deepEqual(data, [
    {
      ...{ name: 'Göteborg', country: 'SE', lat: 57.70716, lng: 11.96679, population: 0 },
      ...{ timeZone: 'Europe/Stockholm', isWholeName: true },
      address: { street: 'Götgatan 5', town: 'Göteborg' },
      isExact: true,
    },
  ]);
  assert.match(attribution, /OpenStreetMap/);
  const { path, query, userAgent } = asked.at(-1) ?? {};
  assert.deepEqual(
    [path, query?.get('q'), query?.get('format')],
    ['/search', 'Götgatan 5, Göteborg', 'jsonv2'],
  );
  assert.match(userAgent ?? '', /^Potluck\/\d/);
  const [near] = (await search('Götgatan 5, Göteborg', api, '&near=57.7,11.9')).data;
  assert.ok(near.distanceKm > 3 && near.distanceKm < 5);
});

test('streets: 200 from Photon, also if the address of the geocoder names no path', async () => {
  answer = photon;
  const named = await start(`${address}/api`);
  const { data } = await search('Pariser Platz 1', named);
  assert.deepEqual(
    data.map(({ name, address, timeZone }: { name: string; address: object; timeZone: string }) => [
      name,
      address,
      timeZone,
    ]),
    [
      ['Berlin', { street: 'Pariser Platz 1', town: 'Berlin' }, 'Europe/Berlin'],
      ['Alexanderplatz', { street: 'Alexanderplatz', town: '' }, 'Europe/Berlin'],
    ],
  );
  assert.deepEqual([...(asked.at(-1)?.query.keys() ?? [])].sort(), ['limit', 'q']);
  const bare = await start(address);
  answer = (request, response, now) => (now.path === '/api' ? photon : json({}, 404))(request, response, now);
  assert.equal((await search('Alexanderplatz', bare)).data.length, 2);
});

test('streets: an answer is kept for 30 days, for all servers; a search without street=true does not ask the geocoder', async () => {
  answer = nominatim;
  const other = await api.startAnother();
  await search('Kept street');
  const before = asked.length;
  await search('kept  STREET', other);
  expectStatus(await api.get('/v1/places?q=Kept%20street'), 200);
  assert.equal(asked.length, before);
  clock.advance(30 * 86_400_000 + 1_000);
  await search('Kept street');
  assert.equal(asked.length, before + 1);
  const rows = await api.sql<{ key: string }[]>`select encode(key, 'escape') as key from geocoder_answers`;
  for (const { key } of rows) assert.doesNotMatch(key, /street/i);
});

test('streets: two servers ask at most once a second; a search that would wait long finds towns', async () => {
  answer = nominatim;
  const other = await api.startAnother();
  const before = asked.length;
  const found = await Promise.all(
    Array.from({ length: 8 }, (_, i) => search(`Turn ${'abcdefgh'[i]} Oslo`, i % 2 === 0 ? api : other)),
  );
  const times = asked.slice(before).map(({ at }) => at);
  assert.ok(times.length >= 2 && times.length < 8, String(times.length));
  // Timers of a busy machine are late by some ms.
  for (const [i, at] of times.slice(1).entries()) assert.ok(at - (times[i] ?? 0) > 900, String(times));
  assert.equal(found.filter(({ attribution }) => /OpenStreetMap/.test(attribution)).length, times.length);
});

test('streets: while the geocoder fails, answers nonsense or too much, redirects or finds nothing, towns are found', async () => {
  const bad: Record<string, Answer> = {
    status: json({ error: 'busy' }, 503),
    nonsense: (_, response) => void response.end('<html>'),
    large: (_, response) => void response.end(JSON.stringify([{ name: 'x'.repeat(300_000) }])),
    redirect: (_, response) => void response.writeHead(302, { location: `${address}/api` }).end(),
    closed: (request) => void request.socket.destroy(),
    nothing: json([]),
    odd: json([null, 7, { address: 'x' }, { address: {}, lat: {}, lon: [] }]),
  };
  for (const [name, given] of Object.entries(bad)) {
    answer = given;
    const { data, attribution } = await search(
      `Oslo ${'abcdefg'[Object.keys(bad).indexOf(name)]}street 4, Oslo`,
    );
    assert.ok(data.length > 0, name);
    assert.match(attribution, /GeoNames/, name);
  }
});

test('streets: a geocoder that is silent is waited for 5 seconds', async () => {
  answer = () => {};
  const at = performance.now();
  const { attribution } = await search('Silent street 4, Oslo');
  assert.match(attribution, /GeoNames/);
  assert.ok(performance.now() - at >= 4_900);
});

test('streets: towns without a geocoder; 400 for an empty q and an unknown street', async () => {
  const without = await startTestApp();
  assert.match((await search('Götgatan 5, Göteborg', without)).attribution, /GeoNames/);
  expectProblem(await without.get('/v1/places?street=true&q='), 400, 'invalid_request');
  expectProblem(await without.get('/v1/places?street=maybe&q=Oslo'), 400, 'invalid_request');
});
