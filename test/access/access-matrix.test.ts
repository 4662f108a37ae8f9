import assert from 'node:assert/strict';
import test from 'node:test';
import { accessRows, routeOf } from '../operations/all.ts';
import {
  createPeopleByRole,
  expectedStatuses,
  type Role,
  requestAs,
  roles,
  sendAs,
} from '../operations/request-as.ts';
import { areAllCases, sampleOf } from '../support/all-cases.ts';
import { resolveResponse } from '../support/contract.ts';
import { createUser, signIn, signInBrowser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const people = await createPeopleByRole(api);

// spec: 4.1 GET /v1/users/search: search people, token required
// spec: 5 GET /v1/auth/me: Bearer token on protected operations
// spec: 9 GET /healthz, GET /readyz, GET /metrics: endpoints for operators
test('access: every route has a row and every row has a route', async () => {
  const { body: document } = await api.get('/openapi.json');
  const routes = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual([...new Set(Object.keys(accessRows).map(routeOf))].sort(), routes.sort());
});

const rows = Object.entries(accessRows);
/** Of each row the request without a caller, and in `npm test` that of one other role, which is another one in the next row. */
const rolesOf = (row: number): readonly Role[] =>
  areAllCases ? roles : ['anonymous', roles[1 + (row % (roles.length - 1))] ?? 'stranger'];

for (const [i, [name, row]] of rows.entries()) {
  test(`access: ${name}: ${row.statuses.join(' ')}`, async () => {
    const expected = expectedStatuses(name, row);
    const statuses: Record<string, number> = {};
    for (const caller of rolesOf(i)) statuses[caller] = await sendAs(api, people, name, row, caller);
    assert.deepEqual(
      statuses,
      Object.fromEntries(rolesOf(i).map((role) => [role, expected[roles.indexOf(role)]])),
    );
  });
}

test('access: 403 cross_site_request for every write with a cookie that another site sends, unless it reads no token', async () => {
  for (const [name, row] of sampleOf(rows, 4)) {
    if (name.startsWith('GET ') || row.statuses[0] !== 401 || row.browserStatuses) continue;
    const response = await requestAs(api, people, name, row, 'cookie of another site');
    expectProblem(response, 403, 'cross_site_request');
  }
});

test('access: a suspended person gets the statuses of a deleted account on every route', async () => {
  const suspended = await createUser(api);
  const cookie = await signInBrowser(api, suspended.phone);
  const path = `/v1/admin/users/${suspended.id}/suspend`;
  expectStatus(await api.post(path, people.admin?.token, {}), 200);
  const peopleWithSuspended = { ...people, deleted: suspended, cookie: { ...suspended, cookie } };
  const column = roles.indexOf('deleted');
  for (const [name, row] of sampleOf(rows, 5)) {
    // The rows with `needsFreshPeople` create people of their own.
    if (row.needsFreshPeople || row.browserStatuses) continue;
    for (const role of ['deleted', 'cookie'] as const)
      assert.equal(await sendAs(api, peopleWithSuspended, name, row, role), row.statuses[column], name);
  }
});

/**
 * The operations that a suspended person may call, in the session that a sign-in after the suspension opens.
 */
const allowedWhileSuspended = new Set([
  'GET /v1/me/export',
  'POST /v1/me/delete-code',
  'DELETE /v1/me',
  'POST /v1/auth/logout',
]);

// spec: 3 POST /v1/admin/users/:id/suspend: administrative block: not suspended → suspended
test('access: the session of a suspended person, with a token or a cookie, is 403 on every route with a token, except export, deletion and logout', async () => {
  const before = await createUser(api);
  expectStatus(await api.post(`/v1/admin/users/${before.id}/suspend`, people.admin?.token, {}), 200);
  const suspended = await signIn(api, before.phone);
  const cookie = await signInBrowser(api, before.phone);
  const peopleWithSuspended = { ...people, stranger: suspended, cookie: { ...suspended, cookie } };
  const callers: Role[] = ['stranger', 'cookie'];
  const [stranger, deleted] = [roles.indexOf('stranger'), roles.indexOf('deleted')];
  for (const [name, row] of rows.filter(
    ([name], i) => areAllCases || i % 5 === 1 || allowedWhileSuspended.has(routeOf(name)),
  )) {
    // These rows create people of their own. test/admin/suspended-sessions.test.ts covers those that are allowed.
    if (row.needsFreshPeople || row.browserStatuses) continue;
    const needsToken = row.statuses[deleted] === 401;
    const refused = needsToken ? 403 : row.statuses[deleted];
    const expected = allowedWhileSuspended.has(routeOf(name)) ? row.statuses[stranger] : refused;
    for (const caller of callers)
      assert.equal(await sendAs(api, peopleWithSuspended, name, row, caller), expected, `${name} ${caller}`);
  }
});

/** Without a token, they learn of the suspension by what proves that the account is theirs. */
const provesAccount = new Set(['POST /v1/auth/refresh', 'POST /v1/events/{id}/guest-rsvp']);

test('access: the routes that a suspended person may call declare no 403 account_suspended, and all others with a token do', async () => {
  const { body: document } = await api.get('/openapi.json');
  for (const name of new Set(Object.keys(accessRows).map(routeOf))) {
    const [method = '', path = ''] = name.split(' ');
    const { security = [], responses } = document.paths[path][method.toLowerCase()];
    const takesToken = security.some((scheme: object) => Object.keys(scheme).length > 0);
    const declares = JSON.stringify(resolveResponse(document, responses['403'] ?? {})).includes(
      'account_suspended',
    );
    const isRefused = takesToken && !allowedWhileSuspended.has(name);
    assert.equal(declares, isRefused || provesAccount.has(name), name);
  }
});
