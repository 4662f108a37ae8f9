/** Guests whom the organizer of an event adds, changes, and claims items for. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { eraseOldGuests } from '../../src/modules/guests/erase-guests.ts';
import {
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
const admin = await createAdmin(api);

type Added = {
  user: { id: string; name: string };
  status: string;
  extraGuests: number;
  isAdded: boolean;
  claims: { itemId: string; quantity: number }[];
  refused: object[];
};
const post = (id: string, guests: unknown, token = organizer.token, headers = {}) =>
  api.call('POST', `/v1/events/${id}/guests`, { token, body: { guests }, headers });
const add = async (id: string, ...guests: object[]): Promise<Added[]> =>
  expectStatus(await post(id, guests), 201).body.data;
const addOne = async (id: string, guest: object = { name: 'Ida' }): Promise<Added> => {
  const [added] = await add(id, guest);
  assert.ok(added);
  return added;
};
const record = async (id: string) => expectStatus(await api.get(`/v1/events/${id}`), 200).body;
const listed = async (id: string, token = organizer.token): Promise<Added[]> =>
  expectStatus(await api.get(`/v1/events/${id}/guests`, token), 200).body.data;
const many = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `Guest ${i}` }));

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: 201 with elements of the guest list in the order of the request, and what they bring', async () => {
  const event = await createEvent(api, organizer, { guestListVisibility: 'everyone' });
  const bread = await createItem(api, organizer, event.id, { quantityNeeded: 3 });
  const other = await createItem(api, organizer, (await createEvent(api, organizer)).id);
  const data = await add(
    event.id,
    {
      ...{ name: 'Ida', extraGuests: 2 },
      claims: [
        { itemId: bread.id, quantity: 2, note: 'rye' },
        { itemId: other.id, quantity: 1 },
      ],
    },
    { name: 'Bo', status: 'interested' },
    { name: 'Ida', claims: [{ itemId: bread.id, quantity: 2 }] },
  );
  const [ida, bo, second] = data;
  assert.deepEqual(
    data.map(({ user, status, extraGuests, isAdded }) => [user.name, status, extraGuests, isAdded]),
    [
      ['Ida', 'going', 2, true],
      ['Bo', 'interested', 0, true],
      ['Ida', 'going', 0, true],
    ],
  );
  assert.notEqual(ida?.user.id, second?.user.id);
  assert.deepEqual(
    ida?.claims.map(({ itemId, quantity }) => [itemId, quantity]),
    [[bread.id, 2]],
  );
  assert.deepEqual(ida?.refused, [{ itemId: other.id, code: 'item_not_found', available: null }]);
  assert.deepEqual([bo?.claims, bo?.refused], [[], []]);
  assert.deepEqual(second?.refused, [{ itemId: bread.id, code: 'quantity_unavailable', available: 1 }]);
  const stranger = await createUser(api);
  const inList = await listed(event.id, stranger.token);
  assert.deepEqual(
    inList.map(({ user, isAdded }) => [user.name, isAdded]),
    [
      ['Ida', true],
      ['Ida', true],
      ['Bo', true],
    ],
  );
  const { user } = inList[0] as unknown as { user: Record<string, unknown> };
  assert.deepEqual([user.hasAccount, user.username, user.bio, user.isFollowing], [false, '', '', false]);
  expectStatus(await api.get(new URL(`${user.avatar}`).pathname), 200);
  const { rsvpCount, goingCount, partyCount } = await record(event.id);
  assert.deepEqual([rsvpCount, goingCount, partyCount], [3, 2, 4]);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: 400 for claims of who is interested, for an item twice, and for lists that are empty or too long; none is added', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const claim = { itemId: item.id, quantity: 1 };
  for (const [guests, path] of [
    [[{ name: 'Ida' }, { name: 'Bo', status: 'interested', claims: [claim] }], 'guests.1.claims'],
    [[{ name: 'Ida', claims: [claim, claim] }], 'guests.0.claims'],
    [[{ name: 'Ida' }, { name: ' ' }], 'guests.1.name'],
    [[{ status: 'going' }], 'guests.0.name'],
    [[{ name: 'Ida', status: 'declined' }], 'guests.0.status'],
    [[{ name: 'Ida', extraGuests: 11 }], 'guests.0.extraGuests'],
    [[{ name: 'Ida', email: 'ida@example.org' }], 'guests.0.email'],
    [[], 'guests'],
    [many(101), 'guests'],
  ] as const) {
    const { errors } = expectProblem(await post(event.id, guests), 400, 'invalid_request').body;
    assert.deepEqual(errors.map((error: { path: string }) => error.path).slice(0, 1), [path]);
  }
  assert.deepEqual(await listed(event.id), []);
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: 403 for others than organizer and admins, 404 for hidden events, 409 for a cancelled one, 201 for one that has ended', async () => {
  const event = await createEvent(api, organizer);
  const stranger = await createUser(api);
  expectProblem(await post(event.id, many(1), stranger.token), 403, 'not_organizer');
  expectProblem(
    await api.post(`/v1/events/${event.id}/guests`, undefined, { guests: many(1) }),
    401,
    'token_missing',
  );
  expectProblem(await post(randomUUID(), many(1)), 404, 'event_not_found');
  expectStatus(await post(event.id, many(1), admin.token), 201);
  const ended = await createEvent(api, organizer, { startAt: inDays(-3), endAt: inDays(-2) });
  await add(ended.id, { name: 'Ida' });
  const secret = await createEvent(api, organizer, { visibility: 'private' });
  const item = await createItem(api, organizer, secret.id);
  expectProblem(await post(secret.id, many(1), stranger.token), 404, 'event_not_found');
  const guest = await addOne(secret.id, { name: 'Ida', claims: [{ itemId: item.id, quantity: 1 }] });
  assert.equal(guest.claims.length, 1);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  expectProblem(await post(event.id, many(1)), 409, 'event_cancelled');
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: 201 after the deadline, where the organizer approves guests, and at a private event; by admins too', async () => {
  const rsvpUntil = new Date(Date.now() + 3_600_000).toISOString();
  const closed = { rsvpUntil, rsvpApproval: 'organizer', visibility: 'private' };
  const { id } = await createEvent(api, organizer, closed);
  await api.sql`update events set rsvp_until = now() - interval '1 hour', version = version + 1 where id = ${id}`;
  for (const token of [organizer.token, admin.token]) {
    const { data } = expectStatus(await post(id, [{ name: 'Ida', status: 'interested' }], token), 201).body;
    const path = `/v1/events/${id}/guests/${data[0].user.id}`;
    const { body } = expectStatus(await api.patch(path, token, { status: 'going', extraGuests: 3 }), 200);
    assert.deepEqual([body.status, body.extraGuests], ['going', 3]);
  }
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: 409 above 500 added ones, of whom removed ones do not count', async () => {
  const event = await createEvent(api, organizer);
  for (let n = 0; n < 4; n++) await add(event.id, ...many(100));
  await add(event.id, ...many(99));
  expectProblem(await post(event.id, many(2)), 409, 'guest_list_full');
  const { user } = await addOne(event.id);
  expectProblem(await post(event.id, many(1)), 409, 'guest_list_full');
  expectStatus(await api.delete(`/v1/events/${event.id}/guests/${user.id}`, organizer.token), 200);
  await addOne(event.id);
  assert.equal((await record(event.id)).rsvpCount, 500);
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: 429 above 2,000 in a day for a person', async () => {
  const busy = await createUser(api);
  const event = await createEvent(api, busy);
  await api.sql`insert into daily_counts (user_id, kind, day, used) values
    (${busy.id}, 'guests', ${api.clock.now().toISOString().slice(0, 10)}, 1999)`;
  expectProblem(await post(event.id, many(2), busy.token), 429, 'quota_exceeded');
  expectStatus(await post(event.id, many(1), busy.token), 201);
  expectProblem(await post(event.id, many(1), busy.token), 429, 'quota_exceeded');
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: one Idempotency-Key adds once, also of two at once on two servers', async () => {
  const another = await api.startAnother();
  const event = await createEvent(api, organizer);
  const headers = { 'idempotency-key': randomUUID() };
  const send = (server: typeof another) =>
    server.call('POST', `/v1/events/${event.id}/guests`, {
      ...{ token: organizer.token, body: { guests: many(3) }, headers },
    });
  const responses = await Promise.all([send(api), send(another), send(api)]);
  const again = await send(another);
  for (const response of responses.filter(({ status }) => status === 201))
    assert.deepEqual(response.body, again.body);
  for (const response of responses.filter(({ status }) => status !== 201))
    expectProblem(response, 409, 'idempotency_key_in_use');
  assert.equal((await listed(event.id)).length, 3);
  expectProblem(await post(event.id, many(2), organizer.token, headers), 422, 'idempotency_key_reused');
});

// spec: 5 POST /v1/events/:id/guests: guests added and removed by the organizer
test('add guests: the organizer is not notified of them', async () => {
  const host = await createUser(api);
  const event = await createEvent(api, host);
  const item = await createItem(api, host, event.id);
  expectStatus(
    await post(event.id, [{ name: 'Ida', claims: [{ itemId: item.id, quantity: 1 }] }], host.token),
    201,
  );
  const { data } = expectStatus(await api.get('/v1/notifications', host.token), 200).body;
  assert.deepEqual(data, []);
});

// spec: 5 PATCH /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('change a guest: 200 with name, status and extra guests; what is left out stays', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const { user } = await addOne(event.id, {
    ...{ name: 'Ida', extraGuests: 1 },
    claims: [{ itemId: item.id, quantity: 1 }],
  });
  const path = `/v1/events/${event.id}/guests/${user.id}`;
  const change = async (body: object): Promise<Added> =>
    expectStatus(await api.patch(path, organizer.token, body), 200).body;
  const valuesOf = ({ user, status, extraGuests, isAdded, claims }: Added) => [
    ...[user.name, status, extraGuests, isAdded, claims.length],
  ];
  assert.deepEqual(valuesOf(await change({ name: 'Grandma' })), ['Grandma', 'going', 1, true, 1]);
  assert.deepEqual(valuesOf(await change({ extraGuests: 3 })), ['Grandma', 'going', 3, true, 1]);
  assert.deepEqual(valuesOf(await change({ status: 'interested' })), ['Grandma', 'interested', 3, true, 1]);
  assert.deepEqual(valuesOf(await change({})), ['Grandma', 'interested', 3, true, 1]);
  const { goingCount, partyCount, rsvpCount } = await record(event.id);
  assert.deepEqual([rsvpCount, goingCount, partyCount], [1, 0, 0]);
  assert.equal((await listed(event.id))[0]?.user.name, 'Grandma');
  expectProblem(await api.patch(path, organizer.token, { status: null }), 400, 'invalid_request');
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  expectProblem(await api.patch(path, organizer.token, { status: 'going' }), 409, 'event_cancelled');
  await assertCounters(api.sql);
});

// spec: 5 PATCH /v1/events/:id/guests/:userId: guests added and removed by the organizer
test('change a guest: 403 for guests who answered themselves, 404 for others', async () => {
  const event = await createEvent(api, organizer);
  const [person, stranger] = [await createUser(api), await createUser(api)];
  await rsvpGoing(api, person, event.id);
  const guest = await answerAsGuest(api, event.id, { email: nextAddress(), name: 'Mara', status: 'going' });
  const patch = (userId: string, token = organizer.token) =>
    api.patch(`/v1/events/${event.id}/guests/${userId}`, token, { name: 'X' });
  expectProblem(await patch(person.id), 403, 'not_added');
  expectProblem(await patch(guest.user.id), 403, 'not_added');
  expectProblem(await patch(stranger.id), 404, 'guest_not_found');
  expectProblem(await patch('nobody'), 404, 'guest_not_found');
  const { user } = await addOne(event.id);
  expectProblem(await patch(user.id, person.token), 403, 'not_organizer');
  const elsewhere = await addOne((await createEvent(api, organizer)).id);
  expectProblem(await patch(elsewhere.user.id), 404, 'guest_not_found');
});

// spec: 5 POST /v1/items/:id/claims: guests added and removed by the organizer
test('claim for a guest: 201 as a claim of the guest, for added guests who go; 403 not_added for others', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 3 });
  const [ida, bo] = await add(event.id, { name: 'Ida' }, { name: 'Bo', status: 'interested' });
  assert.ok(ida && bo);
  const claim = (userId: string, quantity = 2, token = organizer.token) =>
    api.post(`/v1/items/${item.id}/claims`, token, { userId, quantity, note: 'rye' });
  const { body } = expectStatus(await claim(ida.user.id), 201);
  assert.deepEqual([body.itemId, body.userId, body.quantity, body.note], [item.id, ida.user.id, 2, 'rye']);
  expectProblem(await claim(ida.user.id), 409, 'already_claimed');
  expectProblem(await claim(bo.user.id), 403, 'not_added');
  const person = await createUser(api);
  await rsvpGoing(api, person, event.id);
  expectProblem(await claim(person.id), 403, 'not_added');
  expectProblem(await claim('nobody'), 403, 'not_added');
  expectProblem(await claim(ida.user.id, 1, person.token), 403, 'not_organizer');
  const third = await addOne(event.id);
  expectProblem(await claim(third.user.id), 422, 'quantity_unavailable');
  const headers = { 'idempotency-key': randomUUID() };
  const once = () =>
    api.call('POST', `/v1/items/${item.id}/claims`, {
      ...{ token: organizer.token, body: { userId: third.user.id, quantity: 1 }, headers },
    });
  assert.deepEqual(expectStatus(await once(), 201).body, expectStatus(await once(), 201).body);
  expectProblem(
    await api.post(`/v1/items/${event.id}.99/claims`, organizer.token, { userId: ida.user.id, quantity: 1 }),
    404,
    'item_not_found',
  );
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/items/:id/claims: guests added and removed by the organizer
test('claim for a guest: 409 above 10 items for one guest', async () => {
  const event = await createEvent(api, organizer);
  const items = [];
  for (let n = 0; n < 11; n++) items.push(await createItem(api, organizer, event.id, { title: `Item ${n}` }));
  const { user } = await addOne(event.id, {
    name: 'Ida',
    claims: items.slice(0, 10).map(({ id }) => ({ itemId: id, quantity: 1 })),
  });
  const last = `/v1/items/${items[10]?.id}/claims`;
  const body = { userId: user.id, quantity: 1 };
  expectProblem(await api.post(last, organizer.token, body), 409, 'guest_claims_full');
});

// spec: 5 DELETE /v1/items/:id/claims/:userId: guests added and removed by the organizer
test('end a claim: 200 for the claim of anybody, and the quantity is free again', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 3 });
  const person = await createUser(api);
  await rsvpGoing(api, person, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 2 }), 201);
  const { user } = await addOne(event.id, { name: 'Ida', claims: [{ itemId: item.id, quantity: 1 }] });
  const end = (userId: string, token = organizer.token) =>
    api.delete(`/v1/items/${item.id}/claims/${userId}`, token);
  expectProblem(await end(user.id, person.token), 403, 'not_organizer');
  expectStatus(await end(user.id), 200);
  expectStatus(await end(person.id), 200);
  expectProblem(await end(person.id), 404, 'claim_not_found');
  expectProblem(await end('nobody'), 404, 'claim_not_found');
  const items = expectStatus(await api.get(`/v1/events/${event.id}/items`), 200).body.data;
  assert.equal(items[0].quantityClaimed, 0);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 3 }), 201);
  await assertCounters(api.sql);
});

// spec: 5 POST /v1/items/:id/claims: guests added and removed by the organizer
test('claims: stock is never oversold while the organizer claims for guests and guests claim on another server', async () => {
  const another = await api.startAnother();
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 4 });
  const added = await add(event.id, ...many(6));
  const people = await Promise.all(Array.from({ length: 6 }, () => createUser(api)));
  for (const person of people) await rsvpGoing(api, person, event.id);
  const statuses = await Promise.all([
    ...added.map(async ({ user }, i) => {
      const body = { userId: user.id, quantity: 1 };
      return (await (i % 2 ? api : another).post(`/v1/items/${item.id}/claims`, organizer.token, body))
        .status;
    }),
    ...people.map(
      async ({ token }, i) =>
        (await (i % 2 ? another : api).post(`/v1/items/${item.id}/claim`, token, { quantity: 1 })).status,
    ),
    (async () => {
      const claims = [{ itemId: item.id, quantity: 1 }];
      const response = await another.post(`/v1/events/${event.id}/guests`, organizer.token, {
        guests: [{ name: 'Ida', claims }],
      });
      return expectStatus(response, 201).body.data[0].refused.length === 0 ? 201 : 422;
    })(),
  ]);
  assert.equal(statuses.filter((status) => status === 201).length, 4);
  assert.equal(statuses.filter((status) => status === 422).length, 9);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/events/:id/guests.csv: guests added and removed by the organizer
test('guests.csv: 200 for the organizer with names, answers, claims and notes, no contacts, and cells without formulas', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { title: 'Bread, rye', quantityNeeded: 9 });
  const cake = await createItem(api, organizer, event.id, { title: 'Cake', quantityNeeded: 9 });
  await add(
    event.id,
    {
      ...{ name: '=HYPERLINK("x")', extraGuests: 2 },
      claims: [
        { itemId: item.id, quantity: 2, note: '+1 "fresh"' },
        { itemId: cake.id, quantity: 1 },
      ],
    },
    { name: '  @SUM(A1)', status: 'interested' },
    { name: 'Åsa' },
  );
  const email = nextAddress();
  await answerAsGuest(api, event.id, { email, name: 'Mara', status: 'going' });
  const stranger = await createUser(api);
  const path = `/v1/events/${event.id}/guests.csv`;
  expectProblem(await api.get(path), 401, 'token_missing');
  expectProblem(await api.get(path, stranger.token), 403, 'not_organizer');
  const response = expectStatus(await api.get(path, organizer.token), 200);
  assert.match(`${response.headers.get('content-type')}`, /^text\/csv; charset=utf-8/);
  assert.match(`${response.headers.get('content-disposition')}`, /^attachment; filename="guests\.csv"/);
  const text: string = response.body.replace('\ufeff', '');
  // Guests who are added at once have no order.
  assert.deepEqual(
    text.split('\r\n').toSorted(),
    [
      '"name","status","extra guests","brings","note"',
      `"'=HYPERLINK(""x"")","going",2,"2 × Bread, rye; 1 × Cake","'+1 ""fresh"""`,
      '"Åsa","going",0,"",""',
      '"Mara","going",0,"",""',
      `"'  @SUM(A1)","interested",0,"",""`,
      '',
    ].toSorted(),
  );
  assert.ok(!text.includes(email));
});

test('added guest: no operation on a person finds one, and 30 days after the event the name is erased', async () => {
  const event = await createEvent(api, organizer);
  const { user } = await addOne(event.id);
  expectProblem(await api.get(`/v1/users/${user.id}`), 404, 'user_not_found');
  expectStatus(
    await api.patch(`/v1/events/${event.id}`, organizer.token, { startAt: inDays(-33), endAt: inDays(-31) }),
    200,
  );
  await eraseOldGuests({ db: api.sql, clock: api.clock.now });
  const [erased] = await listed(event.id);
  assert.deepEqual([erased?.user.name, erased?.isAdded], ['', true]);
});
