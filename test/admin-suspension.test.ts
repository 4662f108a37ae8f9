/** Suspending and restoring accounts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  eventBody,
  type Person,
  rsvpGoing,
  signIn,
} from './factories.ts';
import { assertCounters } from './invariants.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const both = [api, second];
const admin = await createAdmin(api);

const suspend = (person: Person, on: TestApp = api, body: unknown = {}) =>
  on.post(`/v1/admin/users/${person.id}/suspend`, admin.token, body);
const restore = (person: Person, on: TestApp = api) =>
  on.delete(`/v1/admin/users/${person.id}/suspend`, admin.token);
const ids = ({ body }: ApiResponse) => body.data.map(({ id }: { id: string }) => id);

async function signInAs({ phone }: Person, on: TestApp = api, code?: string) {
  const { body } = expectStatus(await on.post('/v1/auth/otp/request', undefined, { phone }), 202);
  return on.post('/v1/auth/otp/verify', undefined, { phone, code: code ?? body.devCode });
}

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: 200 and every token of the person is refused at once on every instance; twice is once', async () => {
  const person = await createUser(api);
  const phone = await signIn(second, person.phone);
  for (const on of both) expectStatus(await on.get('/v1/auth/me', person.token), 200);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await suspend(person), 200).body, { id: person.id, isSuspended: true });
  for (const on of [second, api]) {
    for (const { token, refreshToken } of [person, phone]) {
      expectProblem(await on.get('/v1/auth/me', token), 401, 'token_invalid');
      expectProblem(await on.post('/v1/events', token, eventBody()), 401, 'token_invalid');
      expectProblem(
        await on.post('/v1/auth/refresh', undefined, { refreshToken }),
        401,
        'refresh_token_invalid',
      );
    }
  }
  const trail = await api.sql`
    select what, by_id, detail from audit where user_id = ${person.id} and what like 'account_s%'`;
  assert.deepEqual([...trail], [{ what: 'account_suspended', byId: admin.id, detail: '' }]);
});

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: signing in is 403 account_suspended with the right code alone, which is spent; restored it is 200', async () => {
  const person = await createUser(api);
  expectStatus(await suspend(person), 200);
  for (const on of both) {
    expectProblem(await signInAs(person, on, 'no code'), 400, 'wrong_code');
    expectProblem(await signInAs(person, on), 403, 'account_suspended');
  }
  const { phone } = person;
  const { body } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
  const verify = () => api.post('/v1/auth/otp/verify', undefined, { phone, code: body.devCode });
  expectProblem(await verify(), 403, 'account_suspended');
  expectProblem(await verify(), 400, 'wrong_code');
  assert.equal((await api.sql`select 1 from sessions where user_id = ${person.id}`).length, 0);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await restore(person), 200).body, { id: person.id, isSuspended: false });
  const { body: back } = expectStatus(await signInAs(person), 200);
  assert.deepEqual([back.isNewUser, back.user.id], [false, person.id]);
  // Sessions of before do not come back.
  expectProblem(await api.get('/v1/auth/me', person.token), 401, 'token_invalid');
});

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: profile, search and relations are 404 for all but admins, and back when restored', async () => {
  const person = await createUser(api, { name: 'Zebulon Quorn', username: 'zebulon.q' });
  const other = await createUser(api);
  expectStatus(await api.post(`/v1/users/${person.id}/follow`, other.token), 200);
  const found = async () => ids(await second.get('/v1/users/search?q=zebulon', other.token));
  const seen = async () => [
    (await second.get(`/v1/users/${person.id}`)).status,
    (await second.get(`/v1/users/${person.id}`, other.token)).status,
    (await second.get(`/v1/users/${person.id}`, admin.token)).status,
    (await second.post(`/v1/users/${person.id}/follow`, other.token)).status,
  ];
  assert.deepEqual([await seen(), await found()], [[200, 200, 200, 200], [person.id]]);
  expectStatus(await suspend(person), 200);
  assert.deepEqual([await seen(), await found()], [[404, 404, 200, 404], []]);
  expectStatus(await restore(person), 200);
  assert.deepEqual([await seen(), await found()], [[200, 200, 200, 200], [person.id]]);
  assert.equal((await api.get(`/v1/users/${person.id}`)).body.followersCount, 1);
});

/** One event for each state that an event can be in, and guests who answered and claimed. */
async function organizerWithEvents() {
  const person = await createUser(api);
  const guest = await createUser(api);
  const place = { location: { address: 'Hidden quay', lat: -33.9, lng: 18.4 }, title: 'Quillfeldt regatta' };
  const shown = await createEvent(api, person, place);
  const item = await createItem(api, person, shown.id);
  await rsvpGoing(api, guest, shown.id);
  const unlisted = await createEvent(api, person, { ...place, visibility: 'unlisted' });
  const off = await createEvent(api, person, place);
  expectStatus(await api.patch(`/v1/events/${off.id}`, person.token, { status: 'cancelled' }), 200);
  return { person, guest, shown, item, unlisted, off };
}

const lists = [
  '/v1/events?lat=-33.9&lng=18.4&radius=5',
  '/v1/events?lat=-33.9&lng=18.4&radius=2000',
  '/v1/events?lat=-33.9&lng=18.4&q=quillfeldt',
  '/v1/events?q=quillfeldt',
  '/v1/events?category=food',
  '/v1/events',
  '/v1/events/search?q=quillfeldt',
];

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
// spec: 3 DELETE /v1/admin/users/:id/suspend: administrative block: suspended → not suspended
test('suspend: events leave all lists, searches, totals and records on every instance, and come back when restored', async () => {
  const { person, guest, shown, item, unlisted, off } = await organizerWithEvents();
  const events = [shown.id, unlisted.id, off.id];
  const inLists = async (on: TestApp, token?: string) => {
    const found = [];
    for (const path of lists) {
      const { body } = expectStatus(await on.get(path, token), 200);
      found.push([body.data.some(({ id }: { id: string }) => id === shown.id), body.meta.total]);
    }
    return found;
  };
  const before = await inLists(api);
  assert.ok(before.every(([isThere]) => isThere));
  for (const on of both) assert.deepEqual(await inLists(on), before);
  expectStatus(await suspend(person), 200);
  const without = before.map(([, total]) => [false, Number(total) - 1]);
  for (const on of [second, api]) {
    assert.deepEqual(await inLists(on), without);
    // Lists show nobody what is hidden, as they show nobody what is cancelled.
    assert.deepEqual(await inLists(on, admin.token), without);
    for (const id of events) {
      expectProblem(await on.get(`/v1/events/${id}`), 404, 'event_not_found');
      expectProblem(await on.get(`/v1/events/${id}/items`, guest.token), 404, 'event_not_found');
      expectStatus(await on.get(`/v1/events/${id}`, admin.token), 200);
    }
    const rsvp = (status: unknown) => on.post(`/v1/events/${shown.id}/rsvp`, guest.token, { status });
    expectProblem(await rsvp('interested'), 404, 'event_not_found');
    expectProblem(
      await on.post(`/v1/events/${shown.id}/save`, guest.token, { saved: true }),
      404,
      'event_not_found',
    );
    expectProblem(
      await on.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }),
      404,
      'item_not_found',
    );
  }
  assert.equal((await api.get(`/v1/users/${person.id}`, admin.token)).body.eventsCount, 0);
  // An admin may change what is hidden; it stays so.
  expectStatus(await api.patch(`/v1/events/${off.id}`, admin.token, { status: 'scheduled' }), 200);
  assert.deepEqual(await inLists(second), without);
  expectStatus(await api.patch(`/v1/events/${off.id}`, admin.token, { status: 'cancelled' }), 200);
  await assertCounters(api.sql);
  expectStatus(await restore(person), 200);
  for (const on of [second, api]) {
    assert.deepEqual(await inLists(on), before);
    for (const id of events) expectStatus(await on.get(`/v1/events/${id}`), 200);
    expectStatus(await on.post(`/v1/events/${shown.id}/rsvp`, guest.token, { status: 'going' }), 200);
  }
  assert.equal((await api.get(`/v1/users/${person.id}`)).body.eventsCount, 1);
  await assertCounters(api.sql);
});

test('suspend: 403 for who is no admin, 404 for nobody, 409 for admins and oneself, 400 for a reason of 501 characters', async () => {
  const [person, other] = await createUsers(api, 2);
  const boss = await createAdmin(api);
  assert.ok(person && other);
  const path = `/v1/admin/users/${person.id}/suspend`;
  for (const call of [api.post(path, other.token, {}), api.delete(path, other.token)])
    expectProblem(await call, 403, 'not_admin');
  for (const id of ['nonsense', '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1']) {
    expectProblem(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, {}), 404, 'user_not_found');
    expectProblem(await api.delete(`/v1/admin/users/${id}/suspend`, admin.token), 404, 'user_not_found');
  }
  for (const who of [boss, admin]) expectProblem(await suspend(who), 409, 'is_admin');
  expectStatus(await api.get('/v1/auth/me', boss.token), 200);
  expectProblem(await suspend(person, api, { reason: 'x'.repeat(501) }), 400, 'invalid_request');
  expectProblem(await suspend(person, api, { why: 'x' }), 400, 'invalid_request');
  expectStatus(await suspend(person, api, { reason: 'x'.repeat(500) }), 200);
});

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: a person at work on two instances meanwhile leaves no session, no listed event and right counts', async () => {
  for (let round = 0; round < 6; round++) {
    const person = await createUser(api);
    const phone = await signIn(second, person.phone);
    const { body: asked } = await api.post('/v1/auth/otp/request', undefined, { phone: person.phone });
    const proof = { phone: person.phone, code: asked.devCode };
    const statuses: number[] = [];
    const work = Array.from({ length: 24 }, async (_, i) => {
      const on = both[i % 2] as TestApp;
      const { token } = i % 3 === 0 ? phone : person;
      statuses.push((await on.post('/v1/events', token, eventBody())).status);
    });
    const end = Promise.all([suspend(person, second), suspend(person, api)]);
    const entry = api.post('/v1/auth/otp/verify', undefined, proof);
    const [answers, { status }] = await Promise.all([end, entry, ...work]);
    for (const answer of answers) expectStatus(answer, 200);
    assert.ok([200, 403].includes(status), `${status}`);
    assert.ok(
      statuses.every((each) => each === 201 || each === 401),
      `${statuses}`,
    );
    const { id } = person;
    const left = await api.sql`
      select (select count(*)::int from sessions where user_id = ${id}) as sessions,
        (select count(*)::int from events where organizer_id = ${id} and not hidden) as shown`;
    assert.deepEqual([...left], [{ sessions: 0, shown: 0 }]);
  }
  await assertCounters(api.sql);
});

test('suspend: while the person deletes the account at once: gone, or suspended and out, and never both', async () => {
  for (let round = 0; round < 8; round++) {
    const { person } = await organizerWithEvents();
    const code = expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
    const [end, farewell] = await Promise.all([
      suspend(person, second),
      api.delete('/v1/me', person.token, { confirmCode: code }),
      ...Array.from({ length: 4 }, () => second.post('/v1/events', person.token, eventBody())),
    ]);
    const isGone = (await api.sql`select 1 from users where id = ${person.id}`).length === 0;
    if (isGone) expectStatus(farewell, 200);
    else expectProblem(farewell, 401, 'token_invalid');
    if (isGone) assert.ok([200, 404].includes(end.status), `${end.status}`);
    else expectStatus(end, 200);
    expectProblem(await second.get(`/v1/users/${person.id}`), 404, 'user_not_found');
    assert.equal(
      (await api.sql`select 1 from events where organizer_id = ${person.id} and not hidden`).length,
      0,
    );
  }
  await assertCounters(api.sql);
});

// spec: 3 DELETE /v1/admin/users/:id/suspend: administrative block: suspended → not suspended
test('suspend: two admins who suspend and restore one person at once leave all of their events in one state', async () => {
  const { person } = await organizerWithEvents();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? suspend : restore)(person, both[i % 3 ? 0 : 1])),
  );
  for (const answer of answers) expectStatus(answer, 200);
  const [{ isSuspended, hidden, shown }] = (await api.sql`
    select u.suspended_at is not null as is_suspended, count(*) filter (where e.hidden)::int as hidden,
      count(*) filter (where not e.hidden)::int as shown
    from users u join events e on e.organizer_id = u.id where u.id = ${person.id} group by u.id`) as [
    { isSuspended: boolean; hidden: number; shown: number },
  ];
  assert.deepEqual([hidden, shown], isSuspended ? [3, 0] : [0, 3]);
  await assertCounters(api.sql);
});
