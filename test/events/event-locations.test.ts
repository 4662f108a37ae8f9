/** Events that take place online, or at a place that is announced later. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { eventIn } from '../calendars/calendar-parsing.ts';
import { startBothModes } from '../support/both-modes.ts';
import { createEvent, createUser, inDays, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus } from '../support/setup.ts';

const api = await startBothModes();
const organizer = await createUser(api);
const town = { address: 'Bergen', lat: 60.393, lng: 5.324 };
const link = 'https://meet.example.org/potluck';
const create = (fields: Record<string, unknown>) => createEvent(api, organizer, fields);
const patch = (id: string, fields: object) => api.patch(`/v1/events/${id}`, organizer.token, fields);
const idsOf = async (query: string): Promise<string[]> =>
  expectStatus(await api.get(`/v1/events?${query}`), 200).body.data.map(({ id }: { id: string }) => id);

// spec: 2.4 POST /v1/events, PATCH /v1/events/:id: `locationKind`
test('event: without a place, the coordinates are those of the town, whatever is sent', async () => {
  for (const locationKind of ['later', 'online']) {
    const event = await create({ locationKind, location: { ...town, isExact: true } });
    assert.deepEqual([event.locationKind, event.location], [locationKind, { ...town, isExact: false }]);
    const moved = await patch(event.id, { location: { ...town, lat: 60.4, isExact: true } });
    assert.equal(expectStatus(moved, 200).body.location.isExact, false);
    const found = await patch(event.id, { locationKind: 'place', location: { ...town, isExact: true } });
    assert.deepEqual(expectStatus(found, 200).body.location, { ...town, isExact: true });
  }
});

test('event: 400 at location for a change from a place to online or later without one', async () => {
  const { id } = await create({ location: town });
  for (const locationKind of ['later', 'online']) {
    const { body } = expectProblem(await patch(id, { locationKind }), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map(({ path }: { path: string }) => path),
      ['location'],
    );
  }
  expectStatus(await patch(id, { locationKind: 'online', location: town }), 200);
  expectStatus(await patch(id, { locationKind: 'later' }), 200);
  expectStatus(await patch(id, { locationKind: 'place' }), 200);
  expectProblem(await patch(id, { locationKind: 'nowhere' }), 400, 'invalid_request');
});

test('event: the place of an event that is announced later is a change of which guests are notified', async () => {
  const { id } = await create({ locationKind: 'later', location: town });
  const guest = await createUser(api);
  await rsvpGoing(api, guest, id);
  expectStatus(await patch(id, { locationKind: 'place', message: 'We have found a hall.' }), 200);
  const { data } = expectStatus(await api.get(`/v1/events/${id}/announcements`, guest.token), 200).body;
  assert.deepEqual(
    data.map(({ text }: { text: string }) => text),
    ['We have found a hall.'],
  );
});

// spec: 2.5 POST /v1/events, PATCH /v1/events/:id: `onlineUrl`
test('event: the address to take part online stands in the record alone, with any kind of place', async () => {
  for (const locationKind of ['place', 'later', 'online']) {
    const word = `w${randomUUID().slice(0, 8)}`;
    const { id, ...event } = await create({ locationKind, location: town, onlineUrl: link, title: word });
    assert.deepEqual([event.onlineUrl, event.hasOnlineUrl], [link, true]);
    const { body } = expectStatus(await api.get(`/v1/events?q=${word}`), 200);
    assert.deepEqual(
      body.data.map((listed: object) => ['onlineUrl' in listed, Reflect.get(listed, 'hasOnlineUrl')]),
      [[false, true]],
    );
    const removed = expectStatus(await patch(id, { onlineUrl: null }), 200).body;
    assert.deepEqual([removed.onlineUrl, removed.hasOnlineUrl], [null, false]);
  }
});

// spec: 4.9 GET /v1/events: `online`
test('list: an online event is found by distance, and is on no map and in no box', async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const events = await Promise.all(
    ['place', 'later', 'online'].map((locationKind) => create({ locationKind, location: town, title: word })),
  );
  const [place, later, online] = events.map(({ id }) => id);
  const near = `q=${word}&lat=${town.lat}&lng=${town.lng}&radius=1`;
  assert.deepEqual((await idsOf(near)).sort(), [place, later, online].sort());
  assert.deepEqual(await idsOf(`q=${word}&online=true`), [online]);
  assert.deepEqual((await idsOf(`q=${word}&online=false`)).sort(), [place, later].sort());
  for (const box of ['5,60,6,61', '-180,-90,180,90']) {
    assert.deepEqual((await idsOf(`q=${word}&bbox=${box}`)).sort(), [place, later].sort());
    const map = expectStatus(await api.get(`/v1/events/map?bbox=${box}&zoom=3&q=${word}`), 200);
    assert.equal(map.body.meta.total, 2);
  }
  expectStatus(await patch(`${place}`, { locationKind: 'online', location: town }), 200);
  assert.deepEqual(await idsOf(`q=${word}&bbox=5,60,6,61`), [later]);
});

test('calendar: an online event is at its address; one whose place is not known at its town, without coordinates', async () => {
  const online = await create({ locationKind: 'online', onlineUrl: link, location: town });
  const later = await create({ locationKind: 'later', location: town });
  const read = async (id: string) => {
    const { location, geo } = eventIn(await api.get(`/v1/events/${id}/calendar.ics`, organizer.token));
    return [location, geo];
  };
  assert.deepEqual(await read(online.id), [link, undefined]);
  assert.deepEqual(await read(later.id), ['Bergen', undefined]);
});

test('duplicate: a copy takes place where the original does', async () => {
  const { id } = await create({ locationKind: 'online', onlineUrl: link, location: town });
  const copied = await api.post(`/v1/events/${id}/duplicate`, organizer.token, { startAt: inDays(9) });
  const { locationKind, onlineUrl, location } = expectStatus(copied, 201).body;
  assert.deepEqual([locationKind, onlineUrl, location.isExact], ['online', link, false]);
});
