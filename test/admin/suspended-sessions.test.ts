/** The limited session of a suspended person: export, deletion and logout, and nothing else. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { often } from '../support/all-cases.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  deleteAccount,
  eventBody,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, secretKey, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const servers = [api, second];
const admin = await createAdmin(api);

const suspend = async ({ id }: Person) =>
  expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, { reason: 'Spam' }), 200);
const restore = ({ id }: Person, server: TestApp = api) =>
  server.delete(`/v1/admin/users/${id}/suspend`, admin.token);

/** Creates a person, suspends the account, and signs in again. */
async function suspendedPerson(server: TestApp = api): Promise<Person> {
  const person = await createUser(api);
  await suspend(person);
  return signIn(server, person.phone);
}

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('suspended: the export has the data of the person, with the reason of the suspension', async () => {
  const person = await createUser(api, { name: 'Ottoline Vance' });
  const event = await createEvent(api, person, { title: 'Vance regatta' });
  await suspend(person);
  const { token } = await signIn(second, person.phone);
  for (const server of servers) {
    const { body } = expectStatus(await server.get('/v1/me/export', token), 200);
    assert.deepEqual([body.profile[0].name, body.events[0].id], ['Ottoline Vance', event.id]);
    assert.equal(body.profile[0].suspensionReason, 'Spam');
  }
});

// spec: 4.8 DELETE /v1/me, POST /v1/me/delete-code: delete the account with `confirmCode`
test('suspended: DELETE /v1/me deletes everything, and the number can register again as a new account', async () => {
  const person = await createUser(api, { username: 'vanishing.v' });
  const guest = await createUser(api);
  const event = await createEvent(api, person);
  const item = await createItem(api, person, event.id);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }), 201);
  expectStatus(await api.post(`/v1/users/${person.id}/follow`, guest.token), 200);
  await suspend(person);
  const suspended = await signIn(api, person.phone);
  expectStatus(await deleteAccount(second, suspended), 200);
  const phoneHash = hashContact(secretKey, { kind: 'phone', value: person.phone }).toString('hex');
  const needles = [person.id, person.phone, phoneHash, 'vanishing.v', event.id];
  assert.deepEqual(await findRowsContaining(api.sql, needles), []);
  for (const server of servers) {
    expectProblem(await server.get('/v1/me/export', suspended.token), 401, 'token_invalid');
    expectProblem(await server.get(`/v1/events/${event.id}`, admin.token), 404, 'event_not_found');
  }
  assert.equal((await api.get(`/v1/users/${guest.id}`)).body.followingCount, 0);
  await assertCounters(api.sql);
  const { body: sent } = await api.post('/v1/auth/otp/request', undefined, { phone: person.phone });
  const credentials = { phone: person.phone, code: sent.devCode };
  const { body } = expectStatus(await api.post('/v1/auth/otp/verify', undefined, credentials), 200);
  assert.deepEqual([body.isNewUser, body.isSuspended], [true, false]);
  expectStatus(await api.post('/v1/events', body.accessToken, eventBody()), 201);
});

test('suspended: 400 for a wrong deletion code, and the account stays suspended', async () => {
  const person = await suspendedPerson();
  const { body } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202);
  const wrong = body.devCode === '000000' ? '000001' : '000000';
  expectProblem(await api.delete('/v1/me', person.token, { confirmCode: wrong }), 400, 'wrong_code');
  expectProblem(await api.get('/v1/auth/me', person.token), 403, 'account_suspended');
  expectProblem(await api.get(`/v1/users/${person.id}`), 404, 'user_not_found');
});

test('suspended: logout ends the session on every server', async () => {
  const person = await suspendedPerson();
  expectStatus(await second.post('/v1/auth/logout', person.token), 200);
  for (const server of servers)
    expectProblem(await server.get('/v1/me/export', person.token), 401, 'token_invalid');
});

test('suspended: 403 for claims, RSVPs, bookings and messages on a server that has the session in its cache', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const { token } = await suspendedPerson();
  for (const server of servers) {
    expectStatus(await server.get('/v1/me/export', token), 200);
    for (const [path, body] of [
      [`/v1/items/${item.id}/claim`, { quantity: 1 }],
      [`/v1/events/${event.id}/rsvp`, { status: 'going' }],
      [`/v1/events/${event.id}/booking`, { seats: 1 }],
      [`/v1/users/${organizer.id}/messages`, { text: 'Hello' }],
      ['/v1/events', eventBody()],
    ] as const)
      expectProblem(await server.post(path, token, body), 403, 'account_suspended');
    for (const path of ['/v1/events', `/v1/events/${event.id}`, '/v1/feed', '/v1/auth/sessions'])
      expectProblem(await server.get(path, token), 403, 'account_suspended');
  }
});

test('suspended: 401 for a claim after the restoration on a server that has the limited session in its cache', async () => {
  const person = await suspendedPerson();
  expectStatus(await second.get('/v1/me/export', person.token), 200);
  expectStatus(await restore(person), 200);
  const claim = await second.post(`/v1/items/${randomUUID()}-1/claim`, person.token, { quantity: 1 });
  expectProblem(claim, 401, 'token_invalid');
});

// spec: 3 DELETE /v1/admin/users/:id/suspend: administrative block: suspended → not suspended
test('race: restoration, deletion and sign-in of a suspended person leave the account deleted, or restored without a limited session', async () => {
  const organizer = await createAdmin(api);
  const event = await createEvent(api, organizer);
  for (let round = 0; round < often(8, 2); round++) {
    const person = await suspendedPerson(second);
    const { body } = expectStatus(await api.post('/v1/me/delete-code', person.token), 202);
    const { body: sent } = await api.post('/v1/auth/otp/request', undefined, { phone: person.phone });
    const credentials = { phone: person.phone, code: sent.devCode };
    const [restoration, deletion, signedIn] = await Promise.all([
      restore(person, servers[round % 2]),
      second.delete('/v1/me', person.token, { confirmCode: body.devCode }),
      api.post('/v1/auth/otp/verify', undefined, credentials),
      ...servers.map((server) =>
        server.post(`/v1/events/${event.id}/rsvp`, person.token, { status: 'going' }),
      ),
    ]);
    const isDeleted = (await api.sql`select 1 from users where id = ${person.id}`).length === 0;
    assert.equal(deletion.status, isDeleted ? 200 : 401);
    assert.ok(isDeleted ? [200, 404].includes(restoration.status) : restoration.status === 200);
    for (const server of servers)
      expectProblem(await server.get('/v1/me/export', person.token), 401, 'token_invalid');
    // The deletion of the account deletes its sign-in code too.
    assert.ok([200, 400].includes(signedIn.status), `${signedIn.status}`);
    const limited = await api.sql`
      select 1 from sessions s join users u on u.id = s.user_id
      where u.phone = ${person.phone} and u.suspended_at is null and s.ends_at < s.created_at + interval '1 hour'`;
    assert.equal(limited.length, 0);
    assert.equal((await api.sql`select 1 from rsvps where user_id = ${person.id}`).length, 0);
  }
  await assertCounters(api.sql);
});

// The last test, because the advanced clock ends all sessions.
test('suspended: 403 for a refresh; the session ends after 30 minutes', async () => {
  const person = await suspendedPerson();
  for (const server of servers) {
    const { refreshToken } = person;
    expectProblem(
      await server.post('/v1/auth/refresh', undefined, { refreshToken }),
      403,
      'account_suspended',
    );
    expectStatus(await server.get('/v1/me/export', person.token), 200);
  }
  const [row] = await api.sql<{ minutes: number }[]>`
    select extract(epoch from ends_at - created_at)::int / 60 as minutes from sessions where user_id = ${person.id}`;
  assert.equal(row?.minutes, 30);
  api.clock.advance(30 * 60_000 + 1_000);
  expectProblem(await api.get('/v1/me/export', person.token), 401, 'token_invalid');
  const { refreshToken } = person;
  expectProblem(
    await api.post('/v1/auth/refresh', undefined, { refreshToken }),
    401,
    'refresh_token_invalid',
  );
});
