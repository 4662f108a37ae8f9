import assert from 'node:assert/strict';
import test from 'node:test';
import { eraseOldGuests } from '../../src/modules/guests/erase-guests.ts';
import {
  addAddress,
  createAdmin,
  createEvent,
  createItem,
  createUser,
  inDays,
  nextAddress,
  rsvpGoing,
} from '../support/factories.ts';
import { answerAsGuest } from '../support/guests.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);

// spec: 5 GET /v1/me/guests, POST /v1/me/guests/:id/take-over: guests without an account: take-over
test('take over: the guest of a confirmed contact is offered, and its answer, claims and seats become those of the account', async () => {
  const event = await createEvent(api, organizer, { capacity: 9 });
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const guest = await answerAsGuest(api, event.id, {
    ...{ email, name: 'Mara', status: 'going', extraGuests: 1 },
    claims: [{ itemId: item.id, quantity: 2 }],
  });
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, guest.guestToken, { seats: 3 }), 201);
  const person = await createUser(api);
  assert.deepEqual(expectStatus(await api.get('/v1/me/guests', person.token), 200).body.data, []);
  const take = () => api.post(`/v1/me/guests/${guest.user.id}/take-over`, person.token);
  expectProblem(await take(), 404, 'guest_not_found');
  await addAddress(api, person, email);
  // Nothing is taken over by itself.
  assert.equal(expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200).body.myRsvp, null);
  const { data } = expectStatus(await api.get('/v1/me/guests', person.token), 200).body;
  assert.deepEqual(
    data.map(
      (each: { id: string; name: string; event: { id: string }; myRsvp: string; claims: unknown[] }) => [
        ...[each.id, each.name, each.event.id, each.myRsvp, each.claims.length],
      ],
    ),
    [[guest.user.id, 'Mara', event.id, 'going', 1]],
  );
  expectStatus(await take(), 200);
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200).body;
  assert.deepEqual(
    [record.myRsvp, record.myExtraGuests, record.myBooking.seats, record.rsvpCount, record.bookedCount],
    ['going', 1, 3, 1, 3],
  );
  const items = expectStatus(await api.get(`/v1/events/${event.id}/items`, person.token), 200).body.data;
  assert.deepEqual([items[0].quantityClaimed, items[0].myClaim.quantity], [2, 2]);
  expectProblem(await api.get(`/v1/events/${event.id}/guest`, guest.guestToken), 401, 'token_invalid');
  expectProblem(await take(), 404, 'guest_not_found');
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/me/guests, POST /v1/me/guests/:id/take-over: guests without an account: take-over
test("take over: what the account has stays, the guest's others pass whole, and no stock goes to a third", async () => {
  const event = await createEvent(api, organizer, { capacity: 9 });
  const [bread, cake] = [
    await createItem(api, organizer, event.id, { quantityNeeded: 3 }),
    await createItem(api, organizer, event.id, { title: 'Cake', quantityNeeded: 1 }),
  ];
  const email = nextAddress();
  const guest = await answerAsGuest(api, event.id, {
    ...{ email, name: 'Mara', status: 'going', extraGuests: 4 },
    claims: [
      { itemId: bread.id, quantity: 2 },
      { itemId: cake.id, quantity: 1 },
    ],
  });
  const person = await createUser(api);
  await rsvpGoing(api, person, event.id);
  expectStatus(await api.post(`/v1/items/${bread.id}/claim`, person.token, { quantity: 1 }), 201);
  await addAddress(api, person, email);
  expectStatus(await api.post(`/v1/me/guests/${guest.user.id}/take-over`, person.token), 200);
  const record = expectStatus(await api.get(`/v1/events/${event.id}`, person.token), 200).body;
  assert.deepEqual([record.myExtraGuests, record.rsvpCount, record.partyCount], [0, 1, 1]);
  const items = expectStatus(await api.get(`/v1/events/${event.id}/items`, person.token), 200).body.data;
  assert.deepEqual(
    items.map((item: { quantityClaimed: number; myClaim: { quantity: number } }) => [
      item.quantityClaimed,
      item.myClaim.quantity,
    ]),
    [
      [1, 1],
      [1, 1],
    ],
  );
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/me/guests, POST /v1/me/guests/:id/take-over: guests without an account: take-over
test('take over: 404 while an admin hides the event, as the list shows none; a guest of a private one is offered', async () => {
  const [admin, person, email] = [await createAdmin(api), await createUser(api), nextAddress()];
  const event = await createEvent(api, organizer);
  const guest = await answerAsGuest(api, event.id, { email, name: 'Mara', status: 'going' });
  await addAddress(api, person, email);
  const list = async () => expectStatus(await api.get('/v1/me/guests', person.token), 200).body.data;
  const take = (id: string) => api.post(`/v1/me/guests/${id}/take-over`, person.token);
  const hide = (method: 'PUT' | 'DELETE') =>
    api.call(method, `/v1/admin/events/${event.id}/hidden`, {
      token: admin.token,
      ...(method === 'PUT' && { body: { reason: 'x' } }),
    });
  expectStatus(await hide('PUT'), 200);
  assert.deepEqual(await list(), []);
  expectProblem(await take(guest.user.id), 404, 'guest_not_found');
  expectStatus(await hide('DELETE'), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  assert.equal((await list()).length, 1);
  expectStatus(await take(guest.user.id), 200);
  for (const id of ['x', organizer.id, person.id]) expectProblem(await take(id), 404, 'guest_not_found');
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/me/guests, POST /v1/me/guests/:id/take-over: guests without an account: take-over
test('take over: of ten at once on two servers one succeeds, while the account answers', async () => {
  const another = await api.startAnother();
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const guest = await answerAsGuest(api, event.id, {
    ...{ email, name: 'Mara', status: 'going' },
    claims: [{ itemId: item.id, quantity: 1 }],
  });
  const person = await createUser(api);
  await addAddress(api, person, email);
  const [statuses] = await Promise.all([
    Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const server = i % 2 ? another : api;
        return (await server.post(`/v1/me/guests/${guest.user.id}/take-over`, person.token)).status;
      }),
    ),
    ...Array.from({ length: 5 }, (_, i) =>
      (i % 2 ? api : another).post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'interested' }),
    ),
  ]);
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, ...Array(9).fill(404)],
  );
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/me/guests, POST /v1/me/guests/:id/take-over: guests without an account: take-over
test('guest: 30 days after the event, the job erases names, contacts and notes; rows and counts stay', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const item = await createItem(api, organizer, event.id);
  const email = nextAddress();
  const guest = await answerAsGuest(api, event.id, {
    ...{ email, name: 'Mara', status: 'going' },
    claims: [{ itemId: item.id, quantity: 1, note: 'rye' }],
  });
  const run = () => eraseOldGuests({ db: api.sql, clock: api.clock.now });
  await run();
  const nameOf = async () =>
    expectStatus(await api.get(`/v1/events/${event.id}/guests`), 200).body.data[0].user.name;
  assert.equal(await nameOf(), 'Mara');
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, organizer.token, { startAt: inDays(-33), endAt: inDays(-31) }),
    200,
  );
  await run();
  assert.equal(await nameOf(), '');
  const rows = await api.sql`select name, email, search from users where id = ${guest.user.id}`;
  assert.deepEqual(
    [...rows].map(({ name, email }) => [name, email]),
    [['', null]],
  );
  assert.equal(
    (await api.sql`select 1 from claims where user_id = ${guest.user.id} and note is not null`).length,
    0,
  );
  expectProblem(await api.get(`/v1/events/${event.id}/guest`, guest.guestToken), 401, 'token_invalid');
  const record = expectStatus(await api.get(`/v1/events/${event.id}`), 200).body;
  assert.equal(record.rsvpCount, 1);
  await assertCounters(api.sql);
});
