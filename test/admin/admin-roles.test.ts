/** Roles, the accounts list of admins, and the audit trail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setRole as writeRole } from '../../src/modules/accounts/sessions/repo.ts';
import { often } from '../support/all-cases.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import { createAdmin, createEvent, createUser, deleteAccount, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const admin = await createAdmin(api);

const setRole = (person: Person, role: string, by: Person = admin, server: TestApp = api) =>
  server.call('PUT', `/v1/admin/users/${person.id}/role`, { token: by.token, body: { role } });
const admins = () => api.sql<{ id: string }[]>`select id from users where role = 'admin'`;

// spec: 5 PUT /v1/admin/users/:id/role: grant and revoke of the admin role
test('role: 200, and the role has effect from the next request on every server, for granting and revoking', async () => {
  const person = await createUser(api);
  const draft = await createEvent(api, admin, { visibility: 'private' });
  const statuses = async () => [
    (await second.get(`/v1/events/${draft.id}`, person.token)).status,
    (await second.get('/v1/admin/flags', person.token)).status,
    (await api.patch(`/v1/events/${draft.id}`, person.token, { title: 'Seen' })).status,
  ];
  assert.deepEqual(await statuses(), [404, 403, 404]);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await setRole(person, 'admin'), 200).body, {
      id: person.id,
      role: 'admin',
    });
  assert.deepEqual(await statuses(), [200, 200, 200]);
  assert.deepEqual(expectStatus(await setRole(person, 'user'), 200).body, { id: person.id, role: 'user' });
  assert.deepEqual(await statuses(), [404, 403, 404]);
  const trail = await api.sql`
    select what, by_id, detail from audit where user_id = ${person.id} and what = 'role_changed' order by at, id`;
  assert.deepEqual(
    trail.map(({ byId, detail }) => [byId, detail]),
    [
      [admin.id, 'to admin'],
      [admin.id, 'to user'],
    ],
  );
});

test('role: 403 without the admin role, 404 for an unknown person, 400 for an unknown role', async () => {
  const person = await createUser(api);
  expectProblem(await setRole(person, 'admin', person), 403, 'not_admin');
  expectProblem(await setRole({ ...person, id: 'nobody' }, 'user'), 404, 'user_not_found');
  for (const role of ['owner', '', null])
    expectProblem(await setRole(person, role as string), 400, 'invalid_request');
});

// spec: 5 PUT /v1/admin/users/:id/role: grant and revoke of the admin role
test("role: 409 for the last admin, and for one of two admins who revoke each other's role at once", async () => {
  const otherApi = await startTestApp();
  const otherSecond = await otherApi.startAnother();
  const [a, b] = [await createAdmin(otherApi), await createAdmin(otherApi)];
  for (let round = 0; round < often(10, 2); round++) {
    const responses = await Promise.all([
      setRole(a, 'user', b, otherApi),
      setRole(b, 'user', a, otherSecond),
    ]);
    const [first, ...others] = responses.toSorted((x, y) => x.status - y.status);
    assert.equal(first?.status, 200);
    // The later request comes from a person without the admin role (403) or concerns the last admin (409).
    assert.ok([403, 409].includes(others[0]?.status ?? 0), `${others[0]?.status}`);
    const remaining = await otherApi.sql<{ id: string }[]>`select id from users where role = 'admin'`;
    assert.equal(remaining.length, 1);
    const [last, other] = remaining[0]?.id === a.id ? [a, b] : [b, a];
    expectProblem(await setRole(last, 'user', last, otherApi), 409, 'last_admin');
    expectStatus(await setRole(other, 'admin', last, otherSecond), 200);
  }
});

test('role: 200 for an admin who revokes their own role while another admin exists', async () => {
  const person = await createUser(api);
  expectStatus(await setRole(person, 'admin'), 200);
  expectStatus(await setRole(person, 'user', person, second), 200);
  expectProblem(await second.get('/v1/admin/flags', person.token), 403, 'not_admin');
  assert.ok((await admins()).some(({ id }) => id === admin.id));
});

const findAccounts = async (query: string, server: TestApp = api) =>
  expectStatus(await server.get(`/v1/admin/users?${query}`, admin.token), 200).body;

// spec: 3 GET /v1/admin/users: search of accounts by admins
test('accounts: 200 filtered by name, phone number and suspension, with every field', async () => {
  const person = await createUser(api, { name: 'Wilhelmina Ottersen', username: 'w.ottersen' });
  const { createdAt, avatar, ...rest } = (await findAccounts('q=ottersen')).data[0];
  assert.match(avatar, new RegExp(`/v1/users/${person.id}/avatar.svg$`));
  assert.deepEqual(rest, {
    id: person.id,
    name: 'Wilhelmina Ottersen',
    username: 'w.ottersen',
    hasAccount: true,
    phone: person.phone,
    email: null,
    role: 'user',
    isSuspended: false,
    suspension: null,
  });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  const number = encodeURIComponent(person.phone);
  const idsOf = async (query: string) => (await findAccounts(query)).data.map(({ id }: Person) => id);
  for (const query of [`phone=${number}`, `phone=${person.phone}`, `phone=${number}&q=wil&suspended=false`])
    assert.deepEqual(await idsOf(query), [person.id]);
  for (const query of [
    'phone=%2B14155559999',
    `phone=${number}&suspended=true`,
    'q=nobody-like-that',
    'q=%25',
  ])
    assert.deepEqual(await idsOf(query), []);
  expectStatus(await api.post(`/v1/admin/users/${person.id}/suspend`, admin.token, {}), 200);
  assert.deepEqual(await idsOf('suspended=true'), [person.id]);
  assert.deepEqual(await idsOf('q=ottersen&suspended=false'), []);
  assert.equal((await findAccounts('q=ottersen')).data[0].isSuspended, true);
});

// spec: 3 GET /v1/admin/users: search of accounts by admins
test('accounts: newest first, each account once over all pages, also while accounts are created', async () => {
  const expectedRows = await api.sql<
    { id: string }[]
  >`select id from users order by created_at desc, id desc`;
  const listedIds: string[] = [];
  let cursor = '';
  do {
    const page = await findAccounts(`limit=2${cursor && `&cursor=${cursor}`}`);
    listedIds.push(...page.data.map(({ id }: Person) => id));
    cursor = page.nextCursor;
    await createUser(api);
  } while (cursor);
  assert.deepEqual(
    listedIds,
    expectedRows.map(({ id }) => id),
  );
});

test('accounts and audit: 401 without a token, 403 without the admin role, 400 naming the invalid parameter', async () => {
  const person = await createUser(api);
  for (const path of ['users', 'flags', 'audit']) {
    expectProblem(await api.get(`/v1/admin/${path}`), 401, 'token_missing');
    expectProblem(await api.get(`/v1/admin/${path}`, person.token), 403, 'not_admin');
  }
  const wrong = {
    'users?phone=12': 'phone',
    'users?suspended=perhaps': 'suspended',
    'users?q=': 'q',
    'users?limit=51': 'limit',
    'users?cursor=nonsense': 'cursor',
    'audit?cursor=nonsense': 'cursor',
    'audit?since=yesterday': 'since',
    'audit?until=soon': 'until',
  };
  for (const [path, name] of Object.entries(wrong)) {
    const { body } = expectProblem(await api.get(`/v1/admin/${path}`, admin.token), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      [name],
    );
  }
});

const auditTrail = async (query: string) =>
  expectStatus(await api.get(`/v1/admin/audit?${query}`, admin.token), 200).body;
type Entry = { id: string; at: string; what: string; userId: string | null; who: string };

// spec: 5 GET /v1/admin/audit: audit trail
test('audit: 200 with every field, newest first, filtered by person or by time', async () => {
  const person = await createUser(api, { username: 'trail.walker' });
  const { name } = (await api.get('/v1/auth/me', person.token)).body;
  const otherAdmin = await createAdmin(api);
  const path = `/v1/admin/users/${person.id}/suspend`;
  expectStatus(await second.post(path, otherAdmin.token, { reason: 'Sells tickets' }), 200);
  expectStatus(await second.delete(path, otherAdmin.token), 200);
  const { data } = await auditTrail(`userId=${person.id}`);
  assert.deepEqual(
    data.map(({ what }: Entry) => what),
    ['account_restored', 'account_suspended', 'account_created'],
  );
  const { id, at, who, ...entry } = data[1];
  assert.ok(id && Date.parse(at) && /^[\w-]{12}$/.test(who));
  assert.deepEqual(entry, {
    what: 'account_suspended',
    userId: person.id,
    name,
    username: 'trail.walker',
    byUserId: otherAdmin.id,
    byName: otherAdmin.username,
    address: '127.0.0.0/24',
    detail: 'Sells tickets',
  });
  // Entries are also found by the id of the admin who acted.
  const actions = (await auditTrail(`userId=${otherAdmin.id}`)).data.map(({ what }: Entry) => what);
  assert.deepEqual(actions, ['account_restored', 'account_suspended', 'account_created']);
  const time = encodeURIComponent(at);
  const within = (await auditTrail(`userId=${person.id}&since=${time}&until=${time}`)).data;
  assert.deepEqual(
    within.map((each: Entry) => each.id),
    [id],
  );
  assert.deepEqual((await auditTrail('since=2999-01-01')).data, []);
  assert.deepEqual((await auditTrail('until=1999-01-01')).data, []);
  for (const unknownId of ['nonsense', '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'])
    assert.deepEqual((await auditTrail(`userId=${unknownId}`)).data, []);
});

test("audit: each entry once over all pages; a deleted account removes reasons, a deleted admin removes the admin's id", async () => {
  const person = await createUser(api);
  const otherAdmin = await createUser(api);
  expectStatus(await setRole(otherAdmin, 'admin'), 200);
  const path = `/v1/admin/users/${person.id}/suspend`;
  expectStatus(await api.post(path, otherAdmin.token, { reason: 'Is Mr Quux of Sea Street' }), 200);
  expectStatus(await api.delete(path, otherAdmin.token), 200);
  const expectedRows = await api.sql<{ id: string }[]>`select id from audit order by at desc, id desc`;
  const listedIds: string[] = [];
  let cursor = '';
  do {
    const page = await auditTrail(`limit=7${cursor && `&cursor=${cursor}`}`);
    listedIds.push(...page.data.map(({ id }: Entry) => id));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(
    listedIds,
    expectedRows.map(({ id }) => id),
  );
  expectStatus(await deleteAccount(api, otherAdmin), 200);
  const rows = () =>
    api.sql`select by_id, detail from audit where what = 'account_suspended' and id = any(${listedIds})`;
  const withReason = (await rows()).filter(({ detail }) => detail.includes('Quux'));
  assert.deepEqual([...withReason], [{ byId: null, detail: 'Is Mr Quux of Sea Street' }]);
  const { body } = expectStatus(
    await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
    202,
  );
  const { body: session } = expectStatus(
    await api.post('/v1/auth/otp/verify', undefined, { phone: person.phone, code: body.devCode }),
    200,
  );
  expectStatus(await deleteAccount(api, { ...person, token: session.accessToken }), 200);
  assert.ok((await rows()).every(({ detail }) => !detail.includes('Quux')));
});

test('roles: 403 for a write of an admin that waited while the role was taken away', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  for (const [write, code] of [
    [(former: Person) => api.delete(`/v1/events/${event.id}`, former.token), 'not_organizer'],
    [(former: Person) => api.post(`/v1/admin/users/${organizer.id}/suspend`, former.token, {}), 'not_admin'],
    [(former: Person) => setRole(organizer, 'admin', former), 'not_admin'],
  ] as const) {
    const former = await createAdmin(api);
    const { response } = await api.sql.begin(async (tx) => {
      await writeRole(tx, former.id, 'user');
      const response = write(former);
      await untilBlockedBy(api.sql, await connectionOf(tx), response);
      return { response };
    });
    expectProblem(await response, 403, code);
  }
  expectStatus(await api.get(`/v1/events/${event.id}`), 200);
});

test('roles: a refresh waits for a change of the role, because both raise the version of the session', async () => {
  const person = await createUser(api);
  const { refreshing } = await api.sql.begin(async (tx) => {
    await writeRole(tx, person.id, 'admin');
    const refreshing = api.post('/v1/auth/refresh', undefined, { refreshToken: person.refreshToken });
    assert.ok(
      await untilBlockedBy(api.sql, await connectionOf(tx), refreshing),
      'the refresh has not waited',
    );
    return { refreshing };
  });
  expectStatus(await refreshing, 200);
});
