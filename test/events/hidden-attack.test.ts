/**
 * An attack on hidden addresses. The exact places are moved within their cells, and everything that a stranger can read stays as it
 * was, byte by byte: radius, box, order by distance, clusters of the map, words, suggestions, corrections, distances, ETag, calendars,
 * stream, copies and duplicates. What does not depend on the exact place tells nothing of it.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often, sampleOf } from '../support/all-cases.ts';
import { startBothModes } from '../support/both-modes.ts';
import { stateOf } from '../support/event-stream-client.ts';
import { createEvent, createUser, inDays } from '../support/factories.ts';
import { middleOf } from '../support/hidden-event.ts';
import { openStream } from '../support/live-fixtures.ts';
import { randomOf } from '../support/random.ts';
import { expectStatus } from '../support/setup.ts';

type Place = { lat: number; lng: number };
type Hidden = { id: string; at: Place; moved: Place; shown: Place; word: string };

const { below } = randomOf(20_261_201);
const uniform = (min: number, max: number) => min + ((max - min) * below(1_000_000)) / 1_000_000;
const rowsPerDegree = 111.32;

/** A third in one town, so that cells have several; a third anywhere; a third at poles and ±180°. */
function anyPlace(i: number): Place {
  if (i % 3 === 0) return { lat: uniform(59.9, 59.95), lng: uniform(10.7, 10.8) };
  if (i % 3 === 1) return { lat: (Math.asin(uniform(-1, 1)) * 180) / Math.PI, lng: uniform(-180, 180) };
  const edge = below(2) === 0 ? { lat: uniform(-70, 70), lng: 180 } : { lat: 90, lng: uniform(-180, 180) };
  const [lat, lng] = [edge.lat - (edge.lat === 90 ? uniform(0, 0.05) : 0), edge.lng - uniform(0, 0.02)];
  return below(2) === 0 ? { lat, lng: Math.max(-180, lng) } : { lat: -lat, lng: Math.min(180, -lng) };
}

/** Another place of the same cell. */
function inCellOf(place: Place): Place {
  const row = Math.floor(place.lat * rowsPerDegree);
  const width = 1 / (rowsPerDegree * Math.cos((((row + 0.5) / rowsPerDegree) * Math.PI) / 180));
  const column = Math.floor(place.lng / width);
  for (;;) {
    const lat = (row + uniform(0.01, 0.99)) / rowsPerDegree;
    const lng = (column + uniform(0.01, 0.99)) * width;
    const other = { lat: Math.max(-90, Math.min(90, lat)), lng: Math.max(-180, Math.min(180, lng)) };
    const [mine, its] = [middleOf(place), middleOf(other)];
    if (mine.lat === its.lat && mine.lng === its.lng) return other;
  }
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;
function haversine(a: Place, b: Place): number {
  const [dLat, dLng] = [radians(b.lat - a.lat), radians(b.lng - a.lng)];
  const h =
    Math.sin(dLat / 2) ** 2 + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(dLng / 2) ** 2;
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(h)));
}

const api = await startBothModes();
const [organizer, stranger] = [await createUser(api), await createUser(api)];
/** Letters alone, because a number in a query can stand for others. */
const wordOf = (i: number) =>
  `zq${[...String(i).padStart(4, '0')].map((digit) => 'bcdfghjklm'[Number(digit)]).join('')}street`;
const body = (i: number, at: Place) => ({
  addressVisibility: 'going',
  location: { address: `${wordOf(i)} ${i + 1}`, ...at },
});

const hidden: Hidden[] = [];
for (let i = 0; i < often(1_000, 30); i++) {
  const at = anyPlace(i);
  const event = { title: 'Attacked', startAt: inDays(8), endAt: inDays(9), timezone: 'UTC', ...body(i, at) };
  const { id } = await createEvent(api, organizer, event);
  const { location } = (await api.get(`/v1/events/${id}`)).body;
  hidden.push({ id, at, moved: inCellOf(at), shown: location, word: wordOf(i) });
}
const [first] = hidden;

/** What an attacker asks about an event: places around it and across its cell, and its words. */
function questionsAbout({ id, at, moved, shown, word }: Hidden): string[] {
  const around = [at, moved, shown, { lat: shown.lat, lng: Math.max(-180, shown.lng - 0.01) }];
  const circles = around.flatMap(({ lat, lng }) =>
    [0.05, 0.3, haversine({ lat, lng }, shown) + 0.001, 2].map((km) => `lat=${lat}&lng=${lng}&radius=${km}`),
  );
  // Boxes with an edge between the two places.
  const edges = [
    [
      Math.min(at.lng, moved.lng),
      Math.min(at.lat, moved.lat),
      (at.lng + moved.lng) / 2,
      (at.lat + moved.lat) / 2,
    ],
    [
      (at.lng + moved.lng) / 2,
      (at.lat + moved.lat) / 2,
      Math.max(at.lng, moved.lng),
      Math.max(at.lat, moved.lat),
    ],
    [shown.lng - 0.002, shown.lat - 0.002, shown.lng + 0.002, shown.lat + 0.002],
  ];
  const boxes = edges
    .map((edge) => edge.map((degrees) => Math.max(-180, Math.min(180, degrees))))
    .filter(
      ([west = 0, south = 0, east = 0, north = 0]) =>
        west < east && south < north && north <= 90 && south >= -90,
    )
    .map((box) => `bbox=${box.join(',')}`);
  return [
    ...circles.map((circle) => `/v1/events?${circle}&q=Attacked`),
    ...circles.slice(0, 4).map((circle) => `/v1/events?${circle}&order=distance`),
    ...boxes.flatMap((box) => [
      `/v1/events?${box}`,
      `/v1/events/map?${box}&zoom=15`,
      `/v1/events/map?${box}&zoom=4`,
    ]),
    ...[`/v1/events?q=${word}`, `/v1/events/search?q=${word}`, `/v1/events/suggest?q=${word}`],
    ...[`/v1/events/suggest?q=${word.slice(0, -1)}x`, `/v1/events/suggest?q=Attacked+${word.slice(0, 6)}`],
    ...[`/v1/events/${id}`, `/v1/events/${id}/calendar.ics`, `/v1/events.ics?q=Attacked&${circles[0]}`],
    `/v1/events/highlights?ids=${id}`,
  ];
}

const questions = sampleOf(hidden, 4)
  .slice(0, often(250, 4))
  .flatMap(questionsAbout)
  .concat(
    [3, 9, 14].map((zoom) => `/v1/events/map?bbox=-180,-90,180,90&zoom=${zoom}`),
    [`/v1/users/${organizer.id}/events`, '/v1/events?lat=59.92&lng=10.75&order=distance&limit=50'],
  );

/** The answers, with the headers that a reader can compare. The names of requests differ. */
async function ask(): Promise<[string, number, string | null, string][]> {
  const answers: [string, number, string | null, string][] = [];
  for (const [i, path] of questions.entries()) {
    const { status, headers, body } = await api.get(path, i % 2 === 0 ? undefined : stranger.token);
    const text = typeof body === 'string' ? body : JSON.stringify({ ...body, requestId: '', sync: '' });
    answers.push([path, status, headers.get('etag'), text.replaceAll(/^DTSTAMP.*$/gm, '')]);
  }
  return answers;
}

test('hidden addresses: each is shown in the middle of its cell, and those of one cell with the same bytes', async () => {
  const byCell = new Map<string, Set<string>>();
  for (const { at, shown } of hidden) {
    const middle = middleOf(at);
    // Of a village, it is the centre, which is the same for the whole cell.
    const { lat, lng } = shown;
    if (lat === middle.lat && lng === middle.lng)
      assert.ok(haversine(at, shown) < 1, JSON.stringify({ at, shown }));
    else assert.ok(haversine(middle, shown) <= 50, JSON.stringify({ at, shown }));
    const key = Object.values(middle).join();
    byCell.set(key, (byCell.get(key) ?? new Set()).add(JSON.stringify(shown)));
  }
  for (const [cell, bytes] of byCell) assert.equal(bytes.size, 1, cell);
  assert.ok(byCell.size < hidden.length || hidden.length < 100);
});

test('hidden addresses: distances, radius and boxes find the public place and nothing nearer', async () => {
  for (const { id, shown } of sampleOf(hidden, 8).slice(0, often(120))) {
    for (const [dLat, dLng] of [
      [0.01, 0.01],
      [-0.02, 0.005],
      [0.003, -0.02],
    ] as const) {
      const from = {
        lat: Math.max(-90, Math.min(90, shown.lat + dLat)),
        lng: Math.max(-180, Math.min(180, shown.lng + dLng)),
      };
      const distance = haversine(from, shown);
      const found = async (radius: number) => {
        const path = `/v1/events?lat=${from.lat}&lng=${from.lng}&radius=${radius}&order=distance&limit=50`;
        const { data } = expectStatus(await api.get(path), 200).body;
        return (data as { id: string; distanceKm: number }[]).find((event) => event.id === id);
      };
      const listed = await found(distance + 0.002);
      if (hidden.length <= 100) assert.ok(listed);
      if (listed) assert.ok(Math.abs(listed.distanceKm - distance) < 0.007);
      if (distance > 0.004) assert.equal(await found(distance - 0.002), undefined);
    }
  }
});

test('hidden addresses: no answer changes when all exact places move within their cells', async () => {
  assert.ok(first);
  const stream = await openStream(api, first.id);
  const before = await ask();
  const since = new Date().toISOString();
  for (const [i, { id, moved }] of hidden.entries()) {
    const change = await api.patch(`/v1/events/${id}`, organizer.token, {
      location: { ...moved, address: `${wordOf(5_000 + i)} 9` },
    });
    assert.equal(expectStatus(change, 200).body.location.lat, moved.lat);
  }
  for (const [i, answer] of (await ask()).entries()) assert.deepEqual(answer, before[i]);
  const { body: copied } = expectStatus(await api.get(`/v1/events?updatedSince=${since}`), 200);
  assert.deepEqual([copied.data, copied.sync.tombstones], [[], []]);
  assert.equal(stream.messages.length, 1);
  assert.equal(
    stateOf(stream.messages).event.updatedAt,
    (await api.get(`/v1/events/${first.id}`)).body.updatedAt,
  );
});

test('hidden addresses: no word of one finds it, also with an error or as a start', async () => {
  for (const [i, { word }] of sampleOf([...hidden.entries()], 5).slice(0, 60)) {
    for (const text of [word, wordOf(5_000 + i), word.slice(0, 7), `${word}${i}`]) {
      assert.equal((await api.get(`/v1/events?q=${text}`)).body.meta.total, 0);
      const { data } = expectStatus(await api.get(`/v1/events/suggest?q=${text}`), 200).body;
      assert.deepEqual([data.events, data.corrections], [[], []]);
    }
  }
});
