/** Events whose exact place only people who go see. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { eventIn } from '../calendars/calendar-parsing.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { startBothModes } from '../support/both-modes.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  eventBody,
  inDays,
  type Person,
} from '../support/factories.ts';
import { expectProblem, expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const { deliver, inbox } = createNotificationClient(api);
const [organizer, admin] = [await createUser(api), await createAdmin(api)];
const home = { address: 'Fredensborgveien 22B, Oslo', lat: 59.9175, lng: 10.7502 };
const link = 'https://meet.example.org/secret-room';
const create = (fields: Record<string, unknown> = {}) =>
  createEvent(api, organizer, { addressVisibility: 'going', location: home, ...fields });
const patch = (id: string, fields: object, headers = {}) =>
  api.call('PATCH', `/v1/events/${id}`, { token: organizer.token, body: fields, headers });
const read = (id: string, person?: Person) => api.get(`/v1/events/${id}`, person?.token);
const answer = async (id: string, status: string) => {
  const person = await createUser(api);
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200);
  return person;
};

/** By the arithmetic of the specification. */
function middleOf({ lat, lng }: { lat: number; lng: number }) {
  const middle = (Math.floor(lat * 111.32) + 0.5) / 111.32;
  const width = 1 / (111.32 * Math.cos((middle * Math.PI) / 180));
  const column = Math.min(180, Math.max(-180, (Math.floor(lng / width) + 0.5) * width));
  return { lat: Number(middle.toFixed(6)), lng: Number(column.toFixed(6)) };
}
/** A point of the same cell. */
const near = {
  address: 'Maridalsveien 3, Oslo',
  lat: middleOf(home).lat + 0.001,
  lng: middleOf(home).lng - 0.001,
};

test('hidden address: 201 and 200 with the exact place for the organizer and admins, the middle of the cell for others', async () => {
  const { id, ...event } = await create({ onlineUrl: link });
  assert.deepEqual(
    [event.location, event.isAddressHidden, event.addressVisibility, event.onlineUrl],
    [{ ...home, isExact: true }, false, 'going', link],
  );
  for (const person of [organizer, admin]) {
    const { body } = expectStatus(await read(id, person), 200);
    assert.deepEqual(
      [body.location, body.isAddressHidden, body.onlineUrl],
      [{ ...home, isExact: true }, false, link],
    );
  }
  for (const person of [undefined, await createUser(api)]) {
    const { body } = expectStatus(await read(id, person), 200);
    const { address, ...point } = body.location;
    assert.deepEqual(point, { ...middleOf(home), isExact: false });
    assert.deepEqual([body.isAddressHidden, body.onlineUrl, body.hasOnlineUrl], [true, null, true]);
    assert.ok(address.length > 0 && address !== home.address);
  }
});

test('hidden address: who goes or has seats reads it; who is interested, waits, asks, claims, saves or is invited does not', async () => {
  const { id } = await create({ capacity: 1 });
  const sees = async (person: Person) => {
    const { body, headers } = expectStatus(await read(id, person), 200);
    assert.match(headers.get('cache-control') ?? '', /private/);
    return body.location.address === home.address && !body.isAddressHidden;
  };
  const going = await answer(id, 'going');
  const interested = await answer(id, 'interested');
  const [booked, waiting, saving] = [await createUser(api), await createUser(api), await createUser(api)];
  for (const [person, waitlist] of [
    [booked, false],
    [waiting, true],
  ] as const)
    expectStatus(await api.post(`/v1/events/${id}/booking`, person.token, { seats: 1, waitlist }), 201);
  expectStatus(await api.post(`/v1/events/${id}/save`, saving.token, { saved: true }), 200);
  assert.deepEqual(await Promise.all([going, booked].map(sees)), [true, true]);
  assert.deepEqual(await Promise.all([interested, waiting, saving].map(sees)), [false, false, false]);
  const asked = await create({ rsvpApproval: 'organizer' });
  const asking = await createUser(api);
  await api.post(`/v1/events/${asked.id}/rsvp`, asking.token, { status: 'going', ask: true });
  assert.equal((await read(asked.id, asking)).body.isAddressHidden, true);
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, going.token, { status: 'interested' }), 200);
  assert.equal(await sees(going), false);
});

test('hidden address: lists, maps, suggestions and calendars have the public place for every caller', async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const { id } = await create({ title: word, onlineUrl: link });
  const { body: anonymous } = await read(id);
  for (const token of [undefined, organizer.token]) {
    const list = expectStatus(
      await api.get(`/v1/events?q=${word}&lat=${home.lat}&lng=${home.lng}&radius=5`, token),
      200,
    );
    const [listed] = list.body.data;
    assert.deepEqual(
      [listed.location, listed.isAddressHidden, listed.hasOnlineUrl],
      [anonymous.location, true, true],
    );
    const file = await api.get(`/v1/events/${id}/calendar.ics`, token);
    assert.deepEqual([eventIn(file).location, eventIn(file).geo], [anonymous.location.address, undefined]);
    for (const path of [
      `/v1/events?q=${word}`,
      `/v1/events?q=${word}+Fredensborgveien`,
      '/v1/events?q=Fredensborgveien',
      '/v1/events/suggest?q=Fredensborg',
      `/v1/events/map?bbox=10,59,11,60&zoom=15&q=${word}`,
      `/v1/events.ics?q=${word}`,
      '/v1/me/events?relation=organizing',
      '/v1/notifications',
    ]) {
      const { status, body } = await api.get(path, token);
      if (token) assert.equal(status, 200, path);
      const whole = JSON.stringify(body);
      assert.doesNotMatch(whole, /Fredensborgveien|secret-room|59\.9175|10\.7502/, path);
    }
  }
  const { body } = await api.get(`/v1/events?q=${word}&online=true`);
  assert.equal(body.meta.total, 1);
  assert.equal((await api.get(`/v1/events?q=${word}+Fredensborgveien`)).body.meta.total, 0);
});

test('hidden address: a move within the cell changes no byte that others see, and is told to people who go', async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const { id } = await create({ title: word });
  const [going, interested] = [await answer(id, 'going'), await answer(id, 'interested')];
  const snapshot = async () => {
    const paths = [`/v1/events/${id}`, `/v1/events?q=${word}`, `/v1/events/${id}/calendar.ics`];
    const answers = await Promise.all(paths.map((path) => api.get(path)));
    const own = await read(id, interested);
    return [...answers, own].map(({ headers, body }) => [headers.get('etag'), body]);
  };
  const before = await snapshot();
  const goingBefore = await read(id, going);
  const { headers } = await read(id, organizer);
  const moved = await patch(
    id,
    { location: near, message: 'The other door.' },
    { 'if-match': headers.get('etag') },
  );
  assert.deepEqual(expectStatus(moved, 200).body.location, { ...near, isExact: true });
  assert.deepEqual(await snapshot(), before);
  const goingAfter = await read(id, going);
  assert.equal(goingAfter.body.location.address, near.address);
  assert.notEqual(goingAfter.headers.get('etag'), goingBefore.headers.get('etag'));
  expectProblem(
    await patch(id, { title: 'Late' }, { 'if-match': headers.get('etag') }),
    412,
    'precondition_failed',
  );
  await deliver();
  const told = async (person: Person) =>
    (await inbox(person)).filter(({ kind }) => kind === 'eventChanged').map(({ changes }) => changes?.parts);
  assert.deepEqual([await told(going), await told(interested)], [[['map']], []]);
  const words = (await api.get(`/v1/events/${id}/announcements`, interested.token)).body.data;
  assert.deepEqual(words, []);
});

test('hidden address: events of one cell have equal public places; everyone sees it again after a change back', async () => {
  const [one, other] = [await create(), await create({ location: near })];
  assert.deepEqual((await read(one.id)).body.location, (await read(other.id)).body.location);
  const shown = expectStatus(await patch(one.id, { addressVisibility: 'everyone' }), 200).body;
  assert.deepEqual([shown.location, shown.isAddressHidden], [{ ...home, isExact: true }, false]);
  assert.deepEqual((await read(one.id)).body.location, { ...home, isExact: true });
  expectStatus(await patch(one.id, { addressVisibility: 'going' }), 200);
  assert.deepEqual((await read(one.id)).body.location, (await read(other.id)).body.location);
  expectProblem(await patch(one.id, { addressVisibility: 'guests' }), 400, 'invalid_request');
});

test('hidden address: the zone follows from the public place; far from towns it names the country, or the sea', async () => {
  const expected = [
    { at: { lat: 45.3, lng: -35.2 }, address: 'At sea' },
    { at: { lat: 23.5, lng: 26.5 }, address: /^[A-Z][a-z]+$/ },
  ];
  for (const { at, address } of expected) {
    const { id } = await create({ location: { address: 'Tent 7', ...at } });
    const { location } = expectStatus(await read(id), 200).body;
    if (typeof address === 'string') assert.equal(location.address, address);
    else assert.match(location.address, address);
    assert.deepEqual([location.lat, location.lng], Object.values(middleOf(at)));
  }
});

test('hidden address: a copy keeps it, the export of the organizer has the exact place, and so has the own calendar', async () => {
  const { id } = await create({ onlineUrl: link });
  const going = await answer(id, 'going');
  const interested = await answer(id, 'interested');
  const copied = await api.post(`/v1/events/${id}/duplicate`, organizer.token, { startAt: inDays(9) });
  const copy = expectStatus(copied, 201).body;
  assert.deepEqual(
    [copy.location, copy.addressVisibility, copy.onlineUrl],
    [{ ...home, isExact: true }, 'going', link],
  );
  const exported = expectStatus(await api.call('GET', '/v1/me/export', { token: organizer.token }), 200).body;
  const own = exported.events.find((event: { id: string }) => event.id === id);
  assert.deepEqual(
    [own.address, own.lat, own.lng, own.isExact, own.onlineUrl],
    [...Object.values(home), true, link],
  );
  const locationFor = async (person: Person) => {
    const { url } = expectStatus(await api.post('/v1/me/calendar', person.token, undefined), 201).body;
    return eventIn(await api.get(new URL(url).pathname)).location;
  };
  assert.equal(await locationFor(going), home.address);
  assert.notEqual(await locationFor(interested), home.address);
});

test('hidden address: 200 for a change of all dates of a series; one that was moved alone keeps its place', async () => {
  const created = await api.post('/v1/series', organizer.token, {
    event: eventBody({
      addressVisibility: 'going',
      location: home,
      startAt: `${inDays(7).slice(0, 17)}00Z`,
      endAt: inDays(7, 2),
    }),
    rrule: 'FREQ=DAILY;COUNT=4',
  });
  const { id: series } = expectStatus(created, 201).body;
  type Date = { id: string; isAddressHidden: boolean; location: { isExact: boolean } };
  const datesOf = async (id: string): Promise<Date[]> =>
    expectStatus(await api.get(`/v1/series/${id}/events`), 200).body.data;
  const dates = await datesOf(series);
  assert.equal(dates.length, 4);
  const entered = (of: Date[]) =>
    Promise.all(of.map(async ({ id }) => (await read(id, organizer)).body.location.address));
  for (const { location, isAddressHidden } of dates)
    assert.deepEqual([location.isExact, isAddressHidden], [false, true]);
  const [first, second, third] = dates;
  assert.ok(first && second && third);
  const going = await answer(first.id, 'going');
  const interested = await answer(second.id, 'interested');
  const all = `/v1/events/${first.id}?scope=all`;
  const { headers } = await read(first.id, organizer);
  const renamed = await api.call('PATCH', all, {
    token: organizer.token,
    body: { title: 'Every day' },
    headers: { 'if-match': headers.get('etag') ?? '' },
  });
  assert.equal(expectStatus(renamed, 200).body.location.address, home.address);
  const snapshot = async () => [
    await datesOf(series),
    (await api.get(`/v1/series/${series}/calendar.ics`)).body,
    (await api.get(`/v1/series/${series}`)).body,
  ];
  const before = await snapshot();
  // One date alone, then all: within the cell, others see nothing of either.
  const own = { ...near, address: 'Maridalsveien 17, Oslo' };
  expectStatus(await patch(second.id, { location: own }), 200);
  const moved = expectStatus(await api.patch(all, organizer.token, { location: near }), 200).body;
  assert.deepEqual([moved.affected, moved.keptOwn], [4, [second.id]]);
  assert.deepEqual(await entered(dates), [near.address, own.address, near.address, near.address]);
  assert.deepEqual(await snapshot(), before);
  await deliver();
  const told = async (person: Person) => (await inbox(person)).filter(({ kind }) => kind === 'eventChanged');
  assert.deepEqual([(await told(going)).length, (await told(interested)).length], [1, 0]);
  // Later dates have the place of the series.
  const longer = await api.patch(`/v1/series/${series}`, organizer.token, { rrule: 'FREQ=DAILY;COUNT=6' });
  expectStatus(longer, 200);
  assert.deepEqual((await entered(await datesOf(series))).slice(4), [near.address, near.address]);
  const far = { address: 'Oscarshallsveien 15, Oslo', lat: 59.9106, lng: 10.6895 };
  const split = await api.patch(`/v1/events/${third.id}?scope=following`, organizer.token, { location: far });
  const later = expectStatus(split, 200).body.series.id;
  assert.notEqual(later, series);
  const [one] = await datesOf(later);
  assert.deepEqual((await read(one?.id ?? '')).body.location.lat, middleOf(far).lat);
  assert.deepEqual(
    await entered(await datesOf(later)),
    Array.from({ length: 4 }, () => far.address),
  );
  const open = await api.patch(`/v1/events/${third.id}?scope=all`, organizer.token, {
    addressVisibility: 'everyone',
  });
  assert.deepEqual(expectStatus(open, 200).body.location, { ...far, isExact: true });
  for (const { location } of await datesOf(later)) assert.deepEqual(location, { ...far, isExact: true });
  const again = await api.patch(`/v1/events/${third.id}?scope=all`, organizer.token, {
    addressVisibility: 'going',
  });
  expectStatus(again, 200);
  for (const { location } of await datesOf(later)) assert.equal(location.isExact, false);
  assert.deepEqual(
    await entered(await datesOf(later)),
    Array.from({ length: 4 }, () => far.address),
  );
});
