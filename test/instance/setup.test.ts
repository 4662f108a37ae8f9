/** The page that makes the first admin, for a server whose database has none. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { command } from '../support/command.ts';
import { createAdmin, createUser } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { cookieOf, printToken, setUp } from './setup-client.ts';

/** Of the streets of the map, which have tests of their own. */
const noStreets = { streets: null, streetsState: { state: 'none', percent: 0, reason: '' } };

const getSetup = (token: string) => `/v1/setup?token=${token}`;

// spec: 5 GET /v1/setup, POST /v1/setup: the first admin
test('setup: the token is the same on all servers and after a restart; 200 with the settings', async () => {
  const api = await startTestApp();
  const second = await api.startAnother({ env: { CONTACT: 'hello@example.org', SIGN_IN: 'email' } });
  const token = await printToken(api);
  assert.match(token, /^pf_[\w-]{43}$/);
  assert.deepEqual([await printToken(second), await printToken(api)], [token, token]);
  assert.deepEqual(expectStatus(await api.get(getSetup(token)), 200).body, {
    name: 'Potluck',
    language: 'en',
    contact: null,
    signIn: ['phone', 'email'],
    possibleSignIn: ['phone', 'email'],
    fixed: [],
    demoAccounts: 0,
    ...noStreets,
  });
  const { body } = expectStatus(await second.get(getSetup(token)), 200);
  assert.deepEqual(
    [body.contact, body.signIn, body.fixed],
    ['hello@example.org', ['email'], ['contact', 'signIn']],
  );
});

// spec: 5 GET /v1/setup, POST /v1/setup: the first admin
test('setup: 200 signs the first admin in, stores the settings on all servers, and is worth nothing after it', async () => {
  const api = await startTestApp();
  const second = await api.startAnother();
  const token = await printToken(api);
  const settings = {
    name: 'Village events',
    language: 'sv',
    contact: 'hello@example.org',
    signIn: ['email'],
  };
  const made = expectStatus(await setUp(api, token, settings), 200);
  const { isNewUser, user } = made.body;
  assert.deepEqual(
    [isNewUser, user.name, user.email, user.phone, user.role],
    [true, 'Noor Haddad', 'noor@example.org', null, 'admin'],
  );
  const headers = { cookie: cookieOf(made) };
  const stored = expectStatus(await second.call('GET', '/v1/admin/settings', { headers }), 200).body;
  const more = { possibleSignIn: ['phone', 'email'], fixed: [], demoAccounts: 0, ...noStreets };
  assert.deepEqual(stored, { ...settings, ...more });
  assert.deepEqual((await second.get('/v1/features')).body.signIn, ['email']);
  const { body: trail } = await api.call('GET', '/v1/admin/audit', { headers });
  const whats = trail.data.map(({ what }: { what: string }) => what).sort();
  assert.deepEqual(whats, ['account_created', 'role_changed', 'settings_changed']);
  for (const server of [api, second]) {
    expectProblem(await server.get(getSetup(token)), 404, 'setup_closed');
    expectProblem(await setUp(server, token, { email: 'other@example.org' }), 404, 'setup_closed');
  }
  // Also when no admin is left, and after a restart: the next token is another one.
  await api.sql`update users set role = 'user'`;
  expectProblem(await api.get(getSetup(token)), 404, 'setup_closed');
  const next = await printToken(api);
  assert.notEqual(next, token);
  expectProblem(await api.get(getSetup(token)), 404, 'setup_closed');
  expectStatus(await api.get(getSetup(next)), 200);
  await assertCounters(api.sql);
});

// spec: 5 GET /v1/setup, POST /v1/setup: the first admin
test('setup: 404 setup_closed for a wrong token, without a token that was printed, and while there is an admin', async () => {
  const api = await startTestApp();
  expectProblem(await api.get(getSetup('pf_none')), 404, 'setup_closed');
  expectProblem(await setUp(api, 'pf_none'), 404, 'setup_closed');
  const token = await printToken(api);
  for (const wrong of ['pf_none', `${token}x`, token.toUpperCase(), `${token.slice(0, -1)}_`])
    expectProblem(await setUp(api, wrong), 404, 'setup_closed');
  await createAdmin(api);
  expectProblem(await api.get(getSetup(token)), 404, 'setup_closed');
  expectProblem(await setUp(api, token), 404, 'setup_closed');
  assert.equal((await api.sql`select 1 from contacts where contact = 'noor@example.org'`).length, 0);
});

test('setup: 429 after 50 wrong tokens of a network; the right token does not count', async () => {
  const api = await startTestApp();
  const token = await printToken(api);
  for (let i = 0; i < 55; i++) expectStatus(await api.get(getSetup(token)), 200);
  for (let i = 0; i < 50; i++) expectProblem(await api.get(getSetup('pf_none')), 404, 'setup_closed');
  expectProblem(await api.get(getSetup('pf_none')), 429, 'too_many_tries');
});

test('setup: an account that exists becomes the admin; a number works as an address does', async () => {
  const api = await startTestApp();
  const person = await createUser(api, { name: 'Before' });
  const more = { email: undefined, phone: person.phone };
  const { body } = expectStatus(await setUp(api, await printToken(api), more), 200);
  assert.deepEqual([body.isNewUser, body.user.id, body.user.role], [false, person.id, 'admin']);
  // The session of before has the role, too.
  expectStatus(await api.get('/v1/admin/settings', person.token), 200);
});

// spec: 5 GET /v1/setup, POST /v1/setup: the first admin
test('setup: 400 and 409 name the field and leave the token valid', async () => {
  const api = await startTestApp();
  const fixed = await api.startAnother({ env: { INSTANCE_NAME: 'Village' } });
  const token = await printToken(api);
  const cases: [object, number, string][] = [
    [{ email: undefined }, 400, 'email'],
    [{ phone: '+12025550102' }, 400, 'email'],
    [{ email: 'noor' }, 400, 'email'],
    [{ email: undefined, phone: '12' }, 400, 'phone'],
    [{ displayName: ' ' }, 400, 'displayName'],
    [{ name: 'a <b>' }, 400, 'name'],
    [{ contact: 'javascript:alert(1)' }, 400, 'contact'],
    [{ signIn: [] }, 400, 'signIn'],
    [{ signIn: ['phone'] }, 409, 'signIn'],
    [{ signIn: ['email', 'oidc'] }, 409, 'signIn'],
  ];
  for (const [more, status, path] of cases) {
    const { body } = expectStatus(await setUp(api, token, more), status);
    assert.deepEqual(
      [body.errors.map((each: { path: string }) => each.path)],
      [[path]],
      JSON.stringify(more),
    );
  }
  const refused = expectProblem(await setUp(fixed, token, { name: 'Mine' }), 409, 'setting_refused');
  assert.equal(refused.body.errors[0].path, 'name');
  expectStatus(await setUp(fixed, token), 200);
});

// spec: 5 DELETE /v1/admin/demo-data: the accounts of the demonstration are deleted
test('setup: the admin of the demonstration does not count, and its accounts can be removed', async () => {
  const api = await startTestApp();
  await command(api.target, 'demo');
  const token = await printToken(api);
  assert.equal(expectStatus(await api.get(getSetup(token)), 200).body.demoAccounts, 16);
  const made = expectStatus(await setUp(api, token), 200);
  const headers = { cookie: cookieOf(made), 'sec-fetch-site': 'same-origin' };
  const remove = () => api.call('DELETE', '/v1/admin/demo-data', { headers });
  assert.equal(expectStatus(await remove(), 200).body.accounts, 16);
  assert.equal(expectStatus(await remove(), 200).body.accounts, 0);
  assert.deepEqual([...(await api.sql`select email from users`)], [{ email: 'noor@example.org' }]);
  assert.equal((await api.sql`select 1 from events`).length, 0);
  await assertCounters(api.sql);
});

test('admin create: closes the setup, also if the role is revoked', async () => {
  const api = await startTestApp();
  const token = await printToken(api);
  assert.equal((await command(api.target, 'admin', 'create', 'noor@example.org')).code, 0);
  assert.equal((await command(api.target, 'admin', 'revoke', 'noor@example.org')).code, 0);
  expectProblem(await setUp(api, token), 404, 'setup_closed');
});
