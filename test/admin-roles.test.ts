/** Roles, accounts as admins find them, and the audit trail. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createAdmin, createEvent, createUser, deleteAccount, type Person } from './factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const admin = await createAdmin(api);

const give = (person: Person, role: string, by: Person = admin, on: TestApp = api) =>
  on.call('PUT', `/v1/admin/users/${person.id}/role`, { token: by.token, body: { role } });
const admins = () => api.sql<{ id: string }[]>`select id from users where role = 'admin'`;

// spec: 5 PUT /v1/admin/users/:id/role: grant and revoke of the admin role
test('role: 200 and counts from the next request on, on every instance, both ways', async () => {
  const person = await createUser(api);
  const draft = await createEvent(api, admin, { visibility: 'private' });
  const sees = async () => [
    (await second.get(`/v1/events/${draft.id}`, person.token)).status,
    (await second.get('/v1/admin/flags', person.token)).status,
    (await api.patch(`/v1/events/${draft.id}`, person.token, { title: 'Seen' })).status,
  ];
  assert.deepEqual(await sees(), [404, 403, 404]);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await give(person, 'admin'), 200).body, { id: person.id, role: 'admin' });
  assert.deepEqual(await sees(), [200, 200, 200]);
  assert.deepEqual(expectStatus(await give(person, 'user'), 200).body, { id: person.id, role: 'user' });
  assert.deepEqual(await sees(), [404, 403, 404]);
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

test('role: 403 for who is no admin, 404 for nobody, 400 for a role that does not exist', async () => {
  const person = await createUser(api);
  expectProblem(await give(person, 'admin', person), 403, 'not_admin');
  expectProblem(await give({ ...person, id: 'nobody' }, 'user'), 404, 'user_not_found');
  for (const role of ['owner', '', null])
    expectProblem(await give(person, role as string), 400, 'invalid_request');
});

// spec: 5 PUT /v1/admin/users/:id/role: grant and revoke of the admin role
test('role: 409 for the last admin, and for one of two who take it from each other at once', async () => {
  const apart = await startTestApp();
  const beside = await apart.another();
  const [a, b] = [await createAdmin(apart), await createAdmin(apart)];
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([give(a, 'user', b, apart), give(b, 'user', a, beside)]);
    const [first, ...others] = answers.toSorted((x, y) => x.status - y.status);
    assert.equal(first?.status, 200);
    // Who came second is no admin any more, or would take the role from the last one.
    assert.ok([403, 409].includes(others[0]?.status ?? 0), `${others[0]?.status}`);
    const left = await apart.sql<{ id: string }[]>`select id from users where role = 'admin'`;
    assert.equal(left.length, 1);
    const [last, other] = left[0]?.id === a.id ? [a, b] : [b, a];
    expectProblem(await give(last, 'user', last, apart), 409, 'last_admin');
    expectStatus(await give(other, 'admin', last, beside), 200);
  }
});

test('role: of two admins one may give up their own', async () => {
  const person = await createUser(api);
  expectStatus(await give(person, 'admin'), 200);
  expectStatus(await give(person, 'user', person, second), 200);
  expectProblem(await second.get('/v1/admin/flags', person.token), 403, 'not_admin');
  assert.ok((await admins()).some(({ id }) => id === admin.id));
});

const find = async (query: string, on: TestApp = api) =>
  expectStatus(await on.get(`/v1/admin/users?${query}`, admin.token), 200).body;

// spec: 3 GET /v1/admin/users: search of accounts by admins
test('accounts: 200 by words, by number and by state, with all that an admin needs of them', async () => {
  const person = await createUser(api, { name: 'Wilhelmina Ottersen', username: 'w.ottersen' });
  const { createdAt, ...rest } = (await find('q=ottersen')).data[0];
  assert.deepEqual(rest, {
    id: person.id,
    name: 'Wilhelmina Ottersen',
    username: 'w.ottersen',
    phone: person.phone,
    role: 'user',
    isSuspended: false,
  });
  assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
  const number = encodeURIComponent(person.phone);
  const idsOf = async (query: string) => (await find(query)).data.map(({ id }: Person) => id);
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
  assert.equal((await find('q=ottersen')).data[0].isSuspended, true);
});

// spec: 3 GET /v1/admin/users: search of accounts by admins
test('accounts: the newest first, every one once in pages, whoever comes meanwhile', async () => {
  const all = await api.sql<{ id: string }[]>`select id from users order by created_at desc, id desc`;
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await find(`limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.data.map(({ id }: Person) => id));
    cursor = page.nextCursor;
    await createUser(api);
  } while (cursor);
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  );
});

test('accounts and audit: 403 for who is no admin, 400 naming what is wrong', async () => {
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

const trail = async (query: string) =>
  expectStatus(await api.get(`/v1/admin/audit?${query}`, admin.token), 200).body;
type Entry = { id: string; at: string; what: string; userId: string | null; who: string };

// spec: 5 GET /v1/admin/audit: audit trail
test('audit: 200 with every field, the newest first, of one person or of a time', async () => {
  const person = await createUser(api, { username: 'trail.walker' });
  const boss = await createAdmin(api);
  const path = `/v1/admin/users/${person.id}/suspend`;
  expectStatus(await second.post(path, boss.token, { reason: 'Sells tickets' }), 200);
  expectStatus(await second.delete(path, boss.token), 200);
  const { data } = await trail(`userId=${person.id}`);
  assert.deepEqual(
    data.map(({ what }: Entry) => what),
    ['account_restored', 'account_suspended', 'account_created'],
  );
  const { id, at, who, ...entry } = data[1];
  assert.ok(id && Date.parse(at) && /^[\w-]{12}$/.test(who));
  assert.deepEqual(entry, {
    what: 'account_suspended',
    userId: person.id,
    username: 'trail.walker',
    byUserId: boss.id,
    address: '127.0.0.0/24',
    detail: 'Sells tickets',
  });
  // What an admin did is found by the admin too.
  const done = (await trail(`userId=${boss.id}`)).data.map(({ what }: Entry) => what);
  assert.deepEqual(done, ['account_restored', 'account_suspended', 'account_created']);
  const moment = encodeURIComponent(at);
  const within = (await trail(`userId=${person.id}&since=${moment}&until=${moment}`)).data;
  assert.deepEqual(
    within.map((each: Entry) => each.id),
    [id],
  );
  assert.deepEqual((await trail('since=2999-01-01')).data, []);
  assert.deepEqual((await trail('until=1999-01-01')).data, []);
  for (const nobody of ['nonsense', '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'])
    assert.deepEqual((await trail(`userId=${nobody}`)).data, []);
});

test('audit: every entry once in pages, and of a deleted account the reason is gone, of a deleted admin the name', async () => {
  const person = await createUser(api);
  const boss = await createUser(api);
  expectStatus(await give(boss, 'admin'), 200);
  const path = `/v1/admin/users/${person.id}/suspend`;
  expectStatus(await api.post(path, boss.token, { reason: 'Is Mr Quux of Sea Street' }), 200);
  expectStatus(await api.delete(path, boss.token), 200);
  const all = await api.sql<{ id: string }[]>`select id from audit order by at desc, id desc`;
  const seen: string[] = [];
  let cursor = '';
  do {
    const page = await trail(`limit=7${cursor && `&cursor=${cursor}`}`);
    seen.push(...page.data.map(({ id }: Entry) => id));
    cursor = page.nextCursor;
  } while (cursor);
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  );
  expectStatus(await deleteAccount(api, boss), 200);
  const rows = () =>
    api.sql`select by_id, detail from audit where what = 'account_suspended' and id = any(${seen})`;
  const ours = (await rows()).filter(({ detail }) => detail.includes('Quux'));
  assert.deepEqual([...ours], [{ byId: null, detail: 'Is Mr Quux of Sea Street' }]);
  const { body } = expectStatus(
    await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
    202,
  );
  const { body: back } = expectStatus(
    await api.post('/v1/auth/otp/verify', undefined, { phone: person.phone, code: body.devCode }),
    200,
  );
  expectStatus(await deleteAccount(api, { ...person, token: back.accessToken }), 200);
  assert.ok((await rows()).every(({ detail }) => !detail.includes('Quux')));
});
