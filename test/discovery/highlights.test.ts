/** GET /v1/events/highlights: what lists show beside the records of their events. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  type Person,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);

type Highlights = { id: string; guests: { id: string }[]; bookedCount: number; neededCount: number };

/** Reads on the other server than the one that the tests write to. */
const read = async (ids: string[], person: Person | null = null): Promise<Highlights[]> =>
  expectStatus(await second.get(`/v1/events/highlights?ids=${ids.join()}`, person?.token), 200).body.data;
const guestIds = async (id: string, person: Person | null = null) =>
  (await read([id], person))[0]?.guests.map((guest) => guest.id);
const post = async (path: string, person: Person, body: object) => {
  const { status } = await api.post(path, person.token, body);
  assert.ok(status === 200 || status === 201, path);
};
const rsvp = (id: string, person: Person, body: object = {}) =>
  post(`/v1/events/${id}/rsvp`, person, { status: 'going', ...body });
const change = async (id: string, body: object) =>
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, body), 200);
const idsOf = (...people: Person[]) => people.map(({ id }) => id).sort();

// spec: 4.9 GET /v1/events/highlights: guests, seats and things still needed of listed events
test('highlights: 200 in the order of the ids, without events that the caller may not see', async () => {
  const [a, b] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const hidden = await createEvent(api, organizer, { visibility: 'private' });
  const ids = [b.id, hidden.id, crypto.randomUUID(), a.id, b.id];
  assert.deepEqual(
    (await read(ids)).map(({ id }) => id),
    [b.id, a.id],
  );
  assert.deepEqual(
    (await read(ids, organizer)).map(({ id }) => id),
    [b.id, hidden.id, a.id],
  );
  for (const id of ['x', 'é', `${a.id}.1`, a.id.replaceAll('-', '')])
    assert.deepEqual(
      (await read([id, a.id.toUpperCase(), a.id, b.id])).map((each) => each.id),
      [a.id, b.id],
      id,
    );
  assert.deepEqual(await read(['x']), []);
  for (const wrong of ['', `${a.id},`, `,${a.id}`, Array(51).fill(a.id).join(), 'x'.repeat(1_851)])
    expectProblem(await api.get(`/v1/events/highlights?ids=${wrong}`), 400, 'invalid_request');
});

// spec: 4.9 GET /v1/events/highlights: guests, seats and things still needed of listed events
test('highlights: the guests are those of the guest list, at most four, without people who hide or are hidden', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const people = (await createUsers(api, 7)) as [Person, ...Person[]];
  const [first, ...others] = people.toSorted((x, y) => (x.id < y.id ? -1 : 1)) as [
    Person,
    Person,
    ...Person[],
  ];
  for (const person of people) await rsvp(event.id, person);
  assert.deepEqual(await guestIds(event.id), idsOf(first, ...others).slice(0, 4));
  const [guest] = (await read([event.id]))[0]?.guests ?? [];
  assert.deepEqual(Object.keys(guest ?? {}), ['id', 'name', 'username', 'avatar', 'hasAccount']);
  await rsvp(event.id, first, { isHidden: true });
  assert.deepEqual(await guestIds(event.id), idsOf(...others).slice(0, 4));
  const [second] = others;
  expectStatus(await api.patch('/v1/me', second.token, { isPrivate: true }), 200);
  assert.deepEqual(await guestIds(event.id), idsOf(...others.slice(1)).slice(0, 4));
  const viewer = await createUser(api);
  await post(`/v1/users/${others[1]?.id}/block`, viewer, {});
  assert.deepEqual(await guestIds(event.id, viewer), idsOf(...others.slice(2)).slice(0, 4));
  await rsvp(event.id, others[5] as Person, { status: 'interested' });
  assert.deepEqual(await guestIds(event.id, viewer), idsOf(...others.slice(2, 5)));
});

// spec: 4.9 GET /v1/events/highlights: guests, seats and things still needed of listed events
test('highlights: the organizer and admins see guests who hide, at this event alone; others see the visible guest behind nine of them', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const open = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const people = (await createUsers(api, 10)).toSorted((x, y) => (x.id < y.id ? -1 : 1));
  const [first, last] = [people.at(0), people.at(-1)];
  assert.ok(first && last);
  for (const person of people) await rsvp(event.id, person, { isHidden: person !== last });
  await rsvp(open.id, first);
  const admin = await createAdmin(api);
  const hidden = people.slice(0, 4).map(({ id }) => id);
  for (const viewer of [organizer, admin]) assert.deepEqual(await guestIds(event.id, viewer), hidden);
  for (const viewer of [null, first]) assert.deepEqual(await guestIds(event.id, viewer), [last.id]);
  const both = (await read([event.id, open.id])).map(({ guests }) => guests.map(({ id }) => id));
  assert.deepEqual(both, [[last.id], [first.id]]);
});

// spec: 4.9 GET /v1/events/highlights: guests, seats and things still needed of listed events
test('highlights: guests are shown to those alone who may list them', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'guests' });
  const [guest, stranger] = (await createUsers(api, 2)) as [Person, Person];
  await rsvp(event.id, guest);
  assert.deepEqual(await guestIds(event.id), []);
  assert.deepEqual(await guestIds(event.id, stranger), []);
  for (const person of [guest, organizer]) assert.deepEqual(await guestIds(event.id, person), [guest.id]);
  await change(event.id, { guestListVisibility: 'organizer' });
  assert.deepEqual(await guestIds(event.id, guest), []);
  assert.deepEqual(await guestIds(event.id, organizer), [guest.id]);
});

// spec: 4.9 GET /v1/events/highlights: guests, seats and things still needed of listed events
test('highlights: things are needed until all of them are claimed, and none of a cancelled event; seats are counted', async () => {
  const event = await createEvent(api, organizer, { capacity: 5 });
  const needed = async () => (await read([event.id]))[0]?.neededCount;
  assert.equal(await needed(), 0);
  const bread = await createItem(api, organizer, event.id, { quantityNeeded: 2 });
  await createItem(api, organizer, event.id, { quantityNeeded: 3 });
  await createItem(api, organizer, event.id, { kind: 'wish' });
  assert.equal(await needed(), 2);
  const guest = await createUser(api);
  await rsvp(event.id, guest);
  await post(`/v1/items/${bread.id}/claim`, guest, { quantity: 1 });
  assert.equal(await needed(), 2);
  expectStatus(await api.patch(`/v1/items/${bread.id}/claim`, guest.token, { quantity: 2 }), 200);
  assert.equal(await needed(), 1);
  await post(`/v1/events/${event.id}/booking`, guest, { seats: 2 });
  assert.equal((await read([event.id]))[0]?.bookedCount, 2);
  await change(event.id, { enabledModules: ['wishList', 'booking'] });
  assert.equal(await needed(), 0);
  await change(event.id, { enabledModules: ['bringList', 'wishList', 'booking'], status: 'cancelled' });
  assert.equal(await needed(), 0);
});
