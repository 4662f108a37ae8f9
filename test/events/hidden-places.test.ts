/** The public place of an event that hides its address, and what a move of the exact one tells. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test, { mock } from 'node:test';
import { distanceKm } from '#record-index';
import { readCities } from '../../src/modules/places/cities.ts';
import { withoutLikeNames } from '../../src/modules/places/gazetteer-data.ts';
import { eventIn } from '../calendars/calendar-parsing.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { sampleOf } from '../support/all-cases.ts';
import { startBothModes } from '../support/both-modes.ts';
import { calendar, calendarEntry, createImporter } from '../support/calendar-files.ts';
import { createEvent, createUser, eventBody, inDays, rsvpGoing } from '../support/factories.ts';
import { exactWords, hiding, home, joinUrl, middleOf, near } from '../support/hidden-event.ts';
import { openStream } from '../support/live-fixtures.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startBothModes();
const { deliver } = createNotificationClient(api);
const organizer = await createUser(api);
const hide = (fields: Record<string, unknown> = {}) => createEvent(api, organizer, { ...hiding, ...fields });
const hideAt = (place: object) => hide({ location: { address: 'The old barn', ...place } });
const patch = async (id: string, fields: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, fields), 200).body;
const placeOf = async (id: string) => {
  const { location } = expectStatus(await api.get(`/v1/events/${id}`), 200).body;
  return location as { lat: number; lng: number; address: string; isExact: boolean };
};
const newWord = () => `w${randomUUID().slice(0, 8)}`;

test('hidden address: 201; of a town below 1,000 inhabitants everybody sees the centre, of a larger one the middle of the cell', async () => {
  const cities = withoutLikeNames(readCities().cities);
  const villages = cities.filter(({ population }) => population > 0 && population < 1_000);
  const chosen = [...sampleOf(villages, 400).slice(0, 12), ...sampleOf(cities, 20_000).slice(0, 4)];
  assert.ok(chosen.length >= 8);
  const seen = new Set<boolean>();
  for (const { lat, lng } of chosen) {
    const at = { lat: lat + 0.01, lng: lng + 0.01 };
    const { id } = await hideAt(at);
    const middle = middleOf(at);
    const distances = cities.map((city) => ({ city, km: distanceKm(middle, city) }));
    const { city } = distances.reduce((a, b) => (b.km < a.km ? b : a));
    const isVillage = city.population < 1_000;
    const { lat: shownLat, lng: shownLng } = isVillage ? city : middle;
    const expected = { address: city.name, lat: shownLat, lng: shownLng, isExact: false };
    assert.deepEqual(await placeOf(id), expected, city.name);
    seen.add(isVillage);
  }
  assert.deepEqual([...seen].sort(), [false, true]);
});

test('hidden address: 201 at ±180° and at the poles, within the limits of coordinates', async () => {
  for (const at of [
    { lat: 0.001, lng: 179.9999 },
    { lat: -17.6, lng: 180 },
    { lat: 65.0001, lng: -180 },
    { lat: 51.9, lng: -179.9999 },
    { lat: 90, lng: 10 },
    { lat: -90, lng: -179 },
    { lat: 89.9999, lng: 170 },
  ]) {
    const { id } = await hideAt(at);
    const { lat, lng } = await placeOf(id);
    assert.ok(Math.abs(lng) <= 180 && Math.abs(lat) <= 90);
    assert.deepEqual({ lat, lng }, middleOf(at), JSON.stringify(at));
  }
});

test('hidden address: the zone is that of the public place, for the organizer too, whether the exact place has another', async () => {
  // On the border of two zones, in Tornio: most of its cells have both.
  for (let i = 0; i < 8; i++) {
    const at = { lat: 65.84 + i * 0.0031, lng: 24.13 + i * 0.004 };
    const open = await createEvent(api, organizer, { location: { address: 'Here', ...middleOf(at) } });
    const { timezone, id } = await hideAt(at);
    assert.equal(timezone, open.timezone);
    assert.equal((await api.get(`/v1/events/${id}`)).body.timezone, open.timezone);
  }
});

test('hidden address: lists by distance, radius and box use the public place, for the organizer too', async () => {
  const word = newWord();
  const [one, other] = [await hide({ title: word }), await hide({ title: word, location: near })];
  const middle = middleOf(home);
  for (const token of [undefined, organizer.token]) {
    const list = async (query: string) =>
      expectStatus(await api.get(`/v1/events?q=${word}&${query}`, token), 200).body.data;
    // From the exact place of one of them, both are as far away.
    const near = await list(`lat=${home.lat}&lng=${home.lng}&order=distance`);
    assert.deepEqual(near.map(({ id }: { id: string }) => id).sort(), [one.id, other.id].sort());
    const distances = near.map((event: { distanceKm: number }) => event.distanceKm);
    assert.equal(distances[0], distances[1]);
    assert.ok(Math.abs(distances[0] - distanceKm(home, middle)) < 0.006);
    assert.equal((await list(`lat=${home.lat}&lng=${home.lng}&radius=0.1`)).length, 0);
    assert.equal((await list(`lat=${middle.lat}&lng=${middle.lng}&radius=0.01`)).length, 2);
    const box = ({ lat, lng }: typeof middle) =>
      `bbox=${lng - 0.0005},${lat - 0.0005},${lng + 0.0005},${lat + 0.0005}`;
    assert.equal((await list(box(home))).length, 0);
    assert.equal((await list(box(middle))).length, 2);
  }
});

test('hidden address: a move within the cell sends nothing on streams, and is in no list of changes', async () => {
  const { id, updatedAt } = await hide();
  const guest = await createUser(api);
  await rsvpGoing(api, guest, id);
  const before = (await api.get(`/v1/events/${id}`)).body;
  const streams = [undefined, guest.token, organizer.token].map((token) => openStream(api, id, { token }));
  const [stream, ...others] = await Promise.all(streams);
  const since = new Date().toISOString();
  await patch(id, { location: near });
  await patch(id, { onlineUrl: `${joinUrl}-2` });
  const { body } = expectStatus(await api.get(`/v1/events?updatedSince=${since}`), 200);
  assert.deepEqual([body.data, body.sync.tombstones], [[], []]);
  assert.deepEqual((await api.get(`/v1/events/${id}`)).body, before);
  assert.ok(updatedAt <= before.updatedAt);
  // The next message is that of a later change: none was sent for the moves.
  await patch(id, { title: 'Later' });
  for (const each of [stream, ...others]) {
    const next = await each?.until(({ event }) => event !== 'snapshot');
    assert.equal(next?.data.title, 'Later');
    assert.doesNotMatch(JSON.stringify(each?.messages), exactWords);
  }
});

test('hidden address: the own calendar of who goes has a higher SEQUENCE after a move, that of others has not', async () => {
  const { id } = await hide();
  const [going, interested] = [await createUser(api), await createUser(api)];
  await rsvpGoing(api, going, id);
  await api.post(`/v1/events/${id}/rsvp`, interested.token, { status: 'interested' });
  const entryOf = async (token: string) => {
    const { url } = expectStatus(await api.post('/v1/me/calendar', token, undefined), 201).body;
    const { location, sequence } = eventIn(await api.get(new URL(url).pathname));
    return { location, sequence: Number(sequence ?? 0) };
  };
  const [goingBefore, interestedBefore] = [await entryOf(going.token), await entryOf(interested.token)];
  await patch(id, { location: near });
  const moved = await entryOf(going.token);
  assert.deepEqual([moved.location, moved.sequence > goingBefore.sequence], [near.address, true]);
  assert.deepEqual(await entryOf(interested.token), interestedBefore);
});

test('hidden address: a move to another cell moves the public place; the words of both are in no index, suggestion or correction', async () => {
  const { id } = await hide();
  const far = { address: 'Oscarshallsveien 15, Oslo', lat: 59.9106, lng: 10.6895 };
  await patch(id, { location: far });
  const { lat, lng } = await placeOf(id);
  assert.deepEqual({ lat, lng }, middleOf(far));
  for (const word of ['Fredensborgveien', 'Oscarshallsveien', 'Oscarshallsveine', 'Oscarshalls']) {
    assert.equal((await api.get(`/v1/events?q=${word}`)).body.meta.total, 0);
    const { data } = expectStatus(await api.get(`/v1/events/suggest?q=${word}`), 200).body;
    assert.deepEqual([data.events, data.corrections], [[], []]);
  }
});

test('hidden address: no row of another table, and no other column of its own, has the exact place', async () => {
  const { id } = await hide({ title: 'Row' });
  const guest = await createUser(api);
  await rsvpGoing(api, guest, id);
  await patch(id, { endAt: inDays(8), message: 'Later' });
  await patch(id, { location: near });
  await patch(id, { location: home });
  await deliver();
  const tables = await api.sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r'`;
  assert.ok(tables.length > 30);
  for (const { name } of tables) {
    const rows = await api.sql.text<{ row: string }[]>(
      `select (to_jsonb(t) - 'exact_place')::text as row from ${name} t where (to_jsonb(t) - 'exact_place')::text ~* 'fredensborg|secret-room'`,
    );
    assert.deepEqual(rows, [], name);
  }
});

test('hidden address: no line of the log has it', async () => {
  const logged = await startTestApp({ env: { LOG_REQUESTS: 'on' } });
  const lines: unknown[][] = [];
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    mock.method(logged.app.log, level, (...line: unknown[]) => void lines.push(line));
  const person = await createUser(logged);
  const { id } = await createEvent(logged, person, hiding);
  expectStatus(await logged.get(`/v1/events/${id}`, person.token), 200);
  expectStatus(await logged.patch(`/v1/events/${id}`, person.token, { location: near }), 200);
  await logged.patch(`/v1/events/${id}`, person.token, { location: { ...home, lat: 99 } });
  await logged.patch(`/v1/events/${id}`, person.token, { location: home, timezone: 'Nowhere' });
  assert.ok(lines.length > 0);
  assert.doesNotMatch(JSON.stringify(lines), exactWords);
});

test('hidden address: an import of the entry again changes the other fields, and neither place', async () => {
  const { importForNewUser, importFile } = createImporter(api);
  const file = (title: string) => calendar(calendarEntry({ UID: 'hidden@test', SUMMARY: title }));
  const { phone, events, person } = await importForNewUser(file('First'));
  const id = events[0]?.id ?? '';
  expectStatus(await api.patch(`/v1/events/${id}`, person.token, hiding), 200);
  const before = await placeOf(id);
  await importFile(file('Second'), phone);
  const { body } = expectStatus(await api.get(`/v1/events/${id}`, person.token), 200);
  assert.deepEqual(
    [body.title, body.location, body.onlineUrl],
    ['Second', { ...home, isExact: true }, joinUrl],
  );
  assert.deepEqual(await placeOf(id), before);
});

test('hidden address: later dates of a series hide it as well, and a cancelled, restored or draft event does', async () => {
  const start = `${inDays(7).slice(0, 17)}00Z`;
  const event = eventBody({ ...hiding, startAt: start, endAt: inDays(7, 2) });
  const made = await api.post('/v1/series', organizer.token, { event, rrule: 'FREQ=DAILY;COUNT=3' });
  const { id } = expectStatus(made, 201).body;
  expectStatus(await api.patch(`/v1/series/${id}`, organizer.token, { rrule: 'FREQ=DAILY;COUNT=5' }), 200);
  const { data } = expectStatus(await api.get(`/v1/series/${id}/events`), 200).body;
  assert.equal(data.length, 5);
  for (const { id, location } of data) {
    assert.deepEqual([location.lat, location.lng], Object.values(middleOf(home)));
    assert.equal((await api.get(`/v1/events/${id}`, organizer.token)).body.location.address, home.address);
  }
  const single = await hide();
  for (const fields of [{ status: 'cancelled' }, { status: 'scheduled' }, { visibility: 'unlisted' }]) {
    await patch(single.id, fields);
    assert.deepEqual(Object.values(await placeOf(single.id)).slice(1, 3), Object.values(middleOf(home)));
  }
});
