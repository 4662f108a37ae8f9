/** The reason of a suspension: its person reads it with a token of theirs, also of an ended session; other people do not. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hashToken } from '../../src/lib/token-packing.ts';
import {
  createAdmin,
  createUser,
  deleteAccount,
  eventBody,
  type Person,
  signIn,
  signInBrowser,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const servers = [api, second];
const admin = await createAdmin(api);
const reason = 'Sold tickets twice';

const suspend = async ({ id }: Person) =>
  expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, admin.token, { reason }), 200);
const restore = async ({ id }: Person) =>
  expectStatus(await api.delete(`/v1/admin/users/${id}/suspend`, admin.token), 200);
const withCookie = (server: TestApp, method: string, path: string, cookie: string) =>
  server.call(method, path, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
const refresh = (server: TestApp, { refreshToken }: Person) =>
  server.post('/v1/auth/refresh', undefined, { refreshToken });

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('suspend: the tokens of ended sessions result in a 401 with the reason, on every server, until restoration', async () => {
  const person = await createUser(api);
  const cookie = await signInBrowser(api, person.phone);
  for (const server of servers) expectStatus(await server.get('/v1/auth/me', person.token), 200);
  await suspend(person);
  for (const server of servers) {
    const refused = [
      expectProblem(await server.get('/v1/auth/me', person.token), 401, 'token_invalid'),
      expectProblem(await server.post('/v1/events', person.token, eventBody()), 401, 'token_invalid'),
      expectProblem(await server.get('/v1/me/export', person.token), 401, 'token_invalid'),
      expectProblem(await withCookie(server, 'GET', '/v1/auth/me', cookie), 401, 'token_invalid'),
      expectProblem(await refresh(server, person), 401, 'refresh_token_invalid'),
    ];
    for (const { body } of refused) {
      assert.equal(body.suspension.reason, reason);
      assert.ok(Math.abs(Date.parse(body.suspension.suspendedAt) - Date.now()) < 60_000);
    }
  }
  await restore(person);
  for (const server of servers) {
    const { body } = expectProblem(await server.get('/v1/auth/me', person.token), 401, 'token_invalid');
    assert.equal(body.suspension, undefined);
  }
  assert.equal((await api.sql`select 1 from suspended_tokens where user_id = ${person.id}`).length, 0);
});

test('suspend: a token that the person did not have, or had before a logout, does not show the suspension', async () => {
  const person = await createUser(api);
  const loggedOut = await signIn(api, person.phone);
  expectStatus(await api.post('/v1/auth/logout', loggedOut.token), 200);
  await suspend(person);
  // The ids of the token are known to others; its random part is not.
  const forged = person.token.slice(0, -6) + (person.token.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA');
  for (const token of [forged, loggedOut.token]) {
    const { body } = expectProblem(await api.get('/v1/auth/me', token), 401, 'token_invalid');
    assert.equal(body.suspension, undefined);
  }
});

test('suspend: a limited session reads the reason with each 403, and for a refresh', async () => {
  const person = await createUser(api);
  await suspend(person);
  const limited = await signIn(api, person.phone);
  for (const server of servers) {
    for (const response of [await server.get('/v1/auth/me', limited.token), await refresh(server, limited)])
      assert.equal(expectProblem(response, 403, 'account_suspended').body.suspension.reason, reason);
  }
  const { body } = expectStatus(await api.get(`/v1/admin/users?phone=${person.phone}`, admin.token), 200);
  assert.equal(body.data[0].suspension.reason, reason);
});

test('suspend: the deletion of the account deletes the reason and the hashes of the tokens', async () => {
  const person = await createUser(api);
  await suspend(person);
  const count = async () =>
    (await api.sql`select 1 from suspended_tokens where token_hash = ${hashToken(person.token)}`).length;
  assert.equal(await count(), 1);
  expectStatus(await deleteAccount(api, await signIn(api, person.phone)), 200);
  assert.equal(await count(), 0);
  const { body } = expectProblem(await api.get('/v1/auth/me', person.token), 401, 'token_invalid');
  assert.equal(body.suspension, undefined);
});
