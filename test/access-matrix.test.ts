import assert from 'node:assert/strict';
import test from 'node:test';
import { accessRows, createPeopleByRole, roles, routeOf, sendAs } from './access-rows.ts';
import { createUser } from './factories.ts';
import { expectStatus, startTestApp } from './setup.ts';

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

for (const [name, row] of Object.entries(accessRows)) {
  test(`access: ${name}: ${row.statuses.join(' ')}`, async () => {
    const statuses: number[] = [];
    for (const caller of roles) statuses.push(await sendAs(api, people, name, row, caller));
    assert.deepEqual(byRole(statuses), byRole(row.statuses));
  });
}

test('access: a suspended person gets the statuses of a deleted account on every route', async () => {
  const suspended = await createUser(api);
  const path = `/v1/admin/users/${suspended.id}/suspend`;
  expectStatus(await api.post(path, people.admin?.token, {}), 200);
  const peopleWithSuspended = { ...people, deleted: suspended };
  const column = roles.indexOf('deleted');
  for (const [name, row] of Object.entries(accessRows)) {
    // The rows with `needsFreshPeople` create people of their own.
    if (row.needsFreshPeople) continue;
    assert.equal(await sendAs(api, peopleWithSuspended, name, row, 'deleted'), row.statuses[column], name);
  }
});

const byRole = (statuses: number[]) => Object.fromEntries(roles.map((caller, i) => [caller, statuses[i]]));
