import assert from 'node:assert/strict';
import test from 'node:test';
import { accessRows, createPeopleByRole, roles, routeOf, sendAs } from './access-rows.ts';
import { createUser } from './factories.ts';
import { expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const stage = await createPeopleByRole(api);

// spec: 4.1 GET /v1/users/search: search people, token required
// spec: 5 GET /v1/auth/me: Bearer token on protected operations
// spec: 9 GET /healthz, GET /readyz, GET /metrics: endpoints for operators
test('access: every route has a row and every row a route', async () => {
  const { body: document } = await api.get('/openapi.json');
  const routes = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual([...new Set(Object.keys(accessRows).map(routeOf))].sort(), routes.sort());
});

for (const [name, row] of Object.entries(accessRows)) {
  test(`access: ${name}: ${row.statuses.join(' ')}`, async () => {
    const seen: number[] = [];
    for (const caller of roles) seen.push(await sendAs(api, stage, name, row, caller));
    assert.deepEqual(named(seen), named(row.statuses));
  });
}

test('access: whoever is suspended is refused like whoever is gone, on every route', async () => {
  const suspended = await createUser(api);
  const path = `/v1/admin/users/${suspended.id}/suspend`;
  expectStatus(await api.post(path, stage.admin?.token, {}), 200);
  const cast = { ...stage, deleted: suspended };
  const at = roles.indexOf('deleted');
  for (const [name, row] of Object.entries(accessRows)) {
    // Those are played by people of their own.
    if (row.spends) continue;
    assert.equal(await sendAs(api, cast, name, row, 'deleted'), row.statuses[at], name);
  }
});

const named = (statuses: number[]) => Object.fromEntries(roles.map((caller, i) => [caller, statuses[i]]));
