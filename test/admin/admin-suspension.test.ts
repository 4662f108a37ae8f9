/** Suspension and restoration of accounts. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hideLateEvents } from '../../src/modules/moderation/suspension.ts';
import { often } from '../support/all-cases.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
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
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { insertLateEvent } from '../support/late-events.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp();
const second = await api.startAnother();
const servers = [api, second];
const admin = await createAdmin(api);

const suspend = (person: Person, server: TestApp = api, body: unknown = {}) =>
  server.post(`/v1/admin/users/${person.id}/suspend`, admin.token, body);
const restore = (person: Person, server: TestApp = api) =>
  server.delete(`/v1/admin/users/${person.id}/suspend`, admin.token);
const ids = ({ body }: ApiResponse) => body.data.map(({ id }: { id: string }) => id);

async function signInAs({ phone }: Person, server: TestApp = api, code?: string) {
  const { body } = expectStatus(await server.post('/v1/auth/otp/request', undefined, { phone }), 202);
  return server.post('/v1/auth/otp/verify', undefined, { phone, code: code ?? body.devCode });
}

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: 200, idempotent, and every token of the person is rejected at once on every server', async () => {
  const person = await createUser(api);
  const otherSession = await signIn(second, person.phone);
  for (const server of servers) expectStatus(await server.get('/v1/auth/me', person.token), 200);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await suspend(person), 200).body, { id: person.id, isSuspended: true });
  for (const server of [second, api]) {
    for (const { token, refreshToken } of [person, otherSession]) {
      expectProblem(await server.get('/v1/auth/me', token), 401, 'token_invalid');
      expectProblem(await server.post('/v1/events', token, eventBody()), 401, 'token_invalid');
      expectProblem(
        await server.post('/v1/auth/refresh', undefined, { refreshToken }),
        401,
        'refresh_token_invalid',
      );
    }
  }
  const auditEntries = await api.sql`
    select what, by_id, detail from audit where user_id = ${person.id} and what like 'account_s%'`;
  assert.deepEqual([...auditEntries], [{ what: 'account_suspended', byId: admin.id, detail: '' }]);
});

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: a sign-in shows the suspension only with the correct code, which it consumes; it is normal after restoration', async () => {
  const person = await createUser(api);
  expectStatus(await suspend(person), 200);
  for (const server of servers) {
    expectProblem(await signInAs(person, server, 'no code'), 400, 'wrong_code');
    assert.equal(expectStatus(await signInAs(person, server), 200).body.isSuspended, true);
  }
  const { phone } = person;
  const { body } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
  const verify = () => api.post('/v1/auth/otp/verify', undefined, { phone, code: body.devCode });
  const limited = expectStatus(await verify(), 200).body;
  expectProblem(await api.get('/v1/auth/me', limited.accessToken), 403, 'account_suspended');
  expectProblem(await verify(), 400, 'wrong_code');
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await restore(person), 200).body, { id: person.id, isSuspended: false });
  const { body: signedIn } = expectStatus(await signInAs(person), 200);
  assert.deepEqual([signedIn.isNewUser, signedIn.isSuspended, signedIn.user.id], [false, false, person.id]);
  expectStatus(await second.get('/v1/auth/me', signedIn.accessToken), 200);
  // The restoration does not restore the sessions that the suspension ended, and ends those of the
  // suspension.
  for (const token of [person.token, limited.accessToken])
    expectProblem(await second.get('/v1/auth/me', token), 401, 'token_invalid');
});

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: profile, search and follow are 404 for everyone except admins, and 200 after restoration', async () => {
  const person = await createUser(api, { name: 'Zebulon Quorn', username: 'zebulon.q' });
  const other = await createUser(api);
  expectStatus(await api.post(`/v1/users/${person.id}/follow`, other.token), 200);
  const searchResults = async () => ids(await second.get('/v1/users/search?q=zebulon', other.token));
  const profileStatuses = async () => [
    (await second.get(`/v1/users/${person.id}`)).status,
    (await second.get(`/v1/users/${person.id}`, other.token)).status,
    (await second.get(`/v1/users/${person.id}`, admin.token)).status,
    (await second.post(`/v1/users/${person.id}/follow`, other.token)).status,
  ];
  assert.deepEqual([await profileStatuses(), await searchResults()], [[200, 200, 200, 200], [person.id]]);
  expectStatus(await suspend(person), 200);
  assert.deepEqual([await profileStatuses(), await searchResults()], [[404, 404, 200, 404], []]);
  expectStatus(await restore(person), 200);
  assert.deepEqual([await profileStatuses(), await searchResults()], [[200, 200, 200, 200], [person.id]]);
  assert.equal((await api.get(`/v1/users/${person.id}`)).body.followersCount, 1);
});

/** An organizer with a public, an unlisted and a cancelled event, and a guest with an RSVP. */
async function organizerWithEvents() {
  const person = await createUser(api);
  const guest = await createUser(api);
  const fields = { location: { address: 'Hidden quay', lat: -33.9, lng: 18.4 }, title: 'Quillfeldt regatta' };
  const listed = await createEvent(api, person, fields);
  const item = await createItem(api, person, listed.id);
  await rsvpGoing(api, guest, listed.id);
  const unlisted = await createEvent(api, person, { ...fields, visibility: 'unlisted' });
  const cancelled = await createEvent(api, person, fields);
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, person.token, { status: 'cancelled' }), 200);
  return { person, guest, listed, item, unlisted, cancelled };
}

const listPaths = [
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
test('suspend: lists, searches, totals and records of every server omit the events until restoration', async () => {
  const { person, guest, listed, item, unlisted, cancelled } = await organizerWithEvents();
  const events = [listed.id, unlisted.id, cancelled.id];
  const inLists = async (server: TestApp, token?: string) => {
    const results = [];
    for (const path of listPaths) {
      const { body } = expectStatus(await server.get(path, token), 200);
      results.push([body.data.some(({ id }: { id: string }) => id === listed.id), body.meta.total]);
    }
    return results;
  };
  const before = await inLists(api);
  assert.ok(before.every(([isThere]) => isThere));
  for (const server of servers) assert.deepEqual(await inLists(server), before);
  expectStatus(await suspend(person), 200);
  const expectedWithoutEvent = before.map(([, total]) => [false, Number(total) - 1]);
  for (const server of [second, api]) {
    assert.deepEqual(await inLists(server), expectedWithoutEvent);
    // Lists omit hidden and cancelled events for admins as well.
    assert.deepEqual(await inLists(server, admin.token), expectedWithoutEvent);
    for (const id of events) {
      expectProblem(await server.get(`/v1/events/${id}`), 404, 'event_not_found');
      expectProblem(await server.get(`/v1/events/${id}/items`, guest.token), 404, 'event_not_found');
      expectStatus(await server.get(`/v1/events/${id}`, admin.token), 200);
    }
    const rsvp = (status: unknown) => server.post(`/v1/events/${listed.id}/rsvp`, guest.token, { status });
    expectProblem(await rsvp('interested'), 404, 'event_not_found');
    expectProblem(
      await server.post(`/v1/events/${listed.id}/save`, guest.token, { saved: true }),
      404,
      'event_not_found',
    );
    expectProblem(
      await server.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }),
      404,
      'item_not_found',
    );
  }
  assert.equal((await api.get(`/v1/users/${person.id}`, admin.token)).body.eventsCount, 0);
  // An admin can change a hidden event. The event stays hidden.
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, admin.token, { status: 'scheduled' }), 200);
  assert.deepEqual(await inLists(second), expectedWithoutEvent);
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, admin.token, { status: 'cancelled' }), 200);
  await assertCounters(api.sql);
  expectStatus(await restore(person), 200);
  for (const server of [second, api]) {
    assert.deepEqual(await inLists(server), before);
    for (const id of events) expectStatus(await server.get(`/v1/events/${id}`), 200);
    expectStatus(await server.post(`/v1/events/${listed.id}/rsvp`, guest.token, { status: 'going' }), 200);
  }
  assert.equal((await api.get(`/v1/users/${person.id}`)).body.eventsCount, 1);
  await assertCounters(api.sql);
});

test('suspend: 403 without the admin role, 404 for an unknown person, 409 for admins, 400 for a reason above 500 characters', async () => {
  const [person, other] = await createUsers(api, 2);
  const otherAdmin = await createAdmin(api);
  assert.ok(person && other);
  const path = `/v1/admin/users/${person.id}/suspend`;
  for (const response of [api.post(path, other.token, {}), api.delete(path, other.token)])
    expectProblem(await response, 403, 'not_admin');
  for (const id of ['nonsense', '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1']) {
    expectProblem(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, {}), 404, 'user_not_found');
    expectProblem(await api.delete(`/v1/admin/users/${id}/suspend`, admin.token), 404, 'user_not_found');
  }
  for (const otherPerson of [otherAdmin, admin]) expectProblem(await suspend(otherPerson), 409, 'is_admin');
  expectStatus(await api.get('/v1/auth/me', otherAdmin.token), 200);
  expectProblem(await suspend(person, api, { reason: 'x'.repeat(501) }), 400, 'invalid_request');
  expectProblem(await suspend(person, api, { why: 'x' }), 400, 'invalid_request');
  expectStatus(await suspend(person, api, { reason: 'x'.repeat(500) }), 200);
});

test('suspend: waits for a claim on an event of the person that is not committed yet', async () => {
  const [person, guest] = await createUsers(api, 2);
  assert.ok(person && guest);
  const event = await createEvent(api, person);
  const item = await createItem(api, person, event.id);
  await rsvpGoing(api, guest, event.id);
  const { claim, suspension } = await api.sql.begin(async (tx) => {
    await tx`select 1 from item_stock where event_id = ${event.id} for update`;
    const claim = second.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 });
    const claiming = await untilBlockedBy(api.sql, await connectionOf(tx), claim);
    assert.ok(claiming, 'the claim has not waited for its item');
    const suspension = suspend(person);
    assert.ok(
      await untilBlockedBy(api.sql, claiming, suspension),
      'the suspension has not waited for the claim',
    );
    return { claim, suspension };
  });
  expectStatus(await claim, 201);
  expectStatus(await suspension, 200);
});

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: no session, no listed event and correct counters when the person creates events concurrently', async () => {
  for (let round = 0; round < often(6); round++) {
    const person = await createUser(api);
    const otherSession = await signIn(second, person.phone);
    const { body: codeRequest } = await api.post('/v1/auth/otp/request', undefined, { phone: person.phone });
    const credentials = { phone: person.phone, code: codeRequest.devCode };
    const statuses: number[] = [];
    const eventRequests = Array.from({ length: 24 }, async (_, i) => {
      const server = servers[i % 2] as TestApp;
      const { token } = i % 3 === 0 ? otherSession : person;
      statuses.push((await server.post('/v1/events', token, eventBody())).status);
    });
    const suspensions = Promise.all([suspend(person, second), suspend(person, api)]);
    const verification = api.post('/v1/auth/otp/verify', undefined, credentials);
    const [responses, { status, body: signedIn }] = await Promise.all([
      suspensions,
      verification,
      ...eventRequests,
    ]);
    for (const response of responses) expectStatus(response, 200);
    assert.equal(status, 200);
    // The sign-in came before the suspension, which ended its session, or after it, with a limited session.
    const { status: statusAfter } = await second.get('/v1/auth/me', signedIn.accessToken);
    assert.equal(statusAfter, signedIn.isSuspended ? 403 : 401);
    assert.ok(
      statuses.every((each) => each === 201 || each === 401),
      `${statuses}`,
    );
    const { id } = person;
    const remaining = await api.sql`
      select (select count(*)::int from sessions where user_id = ${id}) as sessions,
        (select count(*)::int from events where organizer_id = ${id} and not hidden) as listed`;
    assert.deepEqual([...remaining], [{ sessions: signedIn.isSuspended ? 1 : 0, listed: 0 }]);
  }
  await assertCounters(api.sql);
});

test('suspend: concurrent with account deletion, the account is either deleted or suspended', async () => {
  for (let round = 0; round < often(8, 2); round++) {
    const { person } = await organizerWithEvents();
    const code = expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
    const [suspension, deletion] = await Promise.all([
      suspend(person, second),
      api.delete('/v1/me', person.token, { confirmCode: code }),
      ...Array.from({ length: 4 }, () => second.post('/v1/events', person.token, eventBody())),
    ]);
    const isDeleted = (await api.sql`select 1 from users where id = ${person.id}`).length === 0;
    if (isDeleted) expectStatus(deletion, 200);
    else expectProblem(deletion, 401, 'token_invalid');
    if (isDeleted) assert.ok([200, 404].includes(suspension.status), `${suspension.status}`);
    else expectStatus(suspension, 200);
    expectProblem(await second.get(`/v1/users/${person.id}`), 404, 'user_not_found');
    assert.equal(
      (await api.sql`select 1 from events where organizer_id = ${person.id} and not hidden`).length,
      0,
    );
  }
  await assertCounters(api.sql);
});

// spec: 3 DELETE /v1/admin/users/:id/suspend: administrative block: suspended → not suspended
test('suspend: concurrent suspensions and restorations leave all events of the person in the same state', async () => {
  const { person } = await organizerWithEvents();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? suspend : restore)(person, servers[i % 3 ? 0 : 1])),
  );
  for (const response of responses) expectStatus(response, 200);
  const [{ isSuspended, hidden, listed }] = (await api.sql`
    with own as materialized (select hidden from events where organizer_id = ${person.id})
    select suspended_at is not null as is_suspended, (select count(*)::int from own where hidden) as hidden,
      (select count(*)::int from own where not hidden) as listed
    from users where id = ${person.id}`) as [{ isSuspended: boolean; hidden: number; listed: number }];
  assert.deepEqual([hidden, listed], isSuspended ? [3, 0] : [0, 3]);
  await assertCounters(api.sql);
});

test('suspend: an event that becomes visible after the suspension, as on a cluster, is hidden by the next run of the job', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person);
  const late = crypto.randomUUID();
  await api.sql.begin(async (tx) => {
    await insertLateEvent(tx, event.id, late, person);
    // The part of the transaction on the node of the account is committed already.
    await api.sql`update user_counters set events_count = events_count + 1 where user_id = ${person.id}`;
    expectStatus(await suspend(person), 200);
  });
  expectStatus(await api.get(`/v1/events/${late}`), 200);
  await hideLateEvents(api.sql, api.clock.now());
  for (const server of servers) expectProblem(await server.get(`/v1/events/${late}`), 404, 'event_not_found');
  await assertCounters(api.sql);
  expectStatus(await restore(person), 200);
  await hideLateEvents(api.sql, api.clock.now());
  expectStatus(await api.get(`/v1/events/${late}`), 200);
  await assertCounters(api.sql);
});

test('suspend: an event that becomes visible when a node returns after ten minutes is hidden', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person);
  const [db, late] = [connectSql(api.target), crypto.randomUUID()];
  const run = () => hideLateEvents(db, api.clock.now());
  const away = () => Promise.reject(new Error('the node is away'));
  for (let minutes = 0; minutes < 10; minutes++) {
    await run();
    api.clock.advance(60_000);
  }
  const { query } = db;
  await api.sql.begin(async (tx) => {
    await insertLateEvent(tx, event.id, late, person);
    await api.sql`update user_counters set events_count = events_count + 1 where user_id = ${person.id}`;
    expectStatus(await suspend(person), 200);
    db.query = away;
    for (let minutes = 0; minutes < 10; minutes++) {
      await assert.rejects(run(), /the node is away/);
      api.clock.advance(60_000);
    }
    db.query = query;
    await run();
    api.clock.advance(60_000);
  });
  await run();
  for (const server of servers) expectProblem(await server.get(`/v1/events/${late}`), 404, 'event_not_found');
  await assertCounters(api.sql);
  await db.end();
});
