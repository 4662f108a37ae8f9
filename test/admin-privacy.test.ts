/** What admins keep to themselves: why they suspended an account, what they noted, who they are and from where they acted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createAdmin, createEvent, createUser, deleteAccount, type Person, signIn } from './factories.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp({ env: { TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });

const reason = 'Quistgaard tickets resold twice';
const note = 'Seen by Pemberton before';
const adminNetwork = '203.0.113.0/24';

type Row = Record<string, unknown>;

/** A call of an admin from a network of their own. */
const callAs = (admin: Person, method: string, path: string, body?: unknown) =>
  api.call(method, path, { token: admin.token, body, headers: { 'x-forwarded-for': '203.0.113.77' } });

/** Somebody whom an admin suspended for a reason, restored, and made an admin for a while; signed in again. */
async function suspendedAndRestored(admin: Person): Promise<Person> {
  const person = await createUser(api);
  const event = await createEvent(api, person);
  const reporter = await createUser(api);
  const subject = { type: 'event', id: event.id };
  const report = await api.post('/v1/reports', reporter.token, { subject, reason: 'scam' });
  const path = `/v1/admin/reports/${expectStatus(report, 201).body.id}`;
  expectStatus(await callAs(admin, 'PATCH', path, { status: 'resolved', note }), 200);
  const account = `/v1/admin/users/${person.id}`;
  expectStatus(await callAs(admin, 'POST', `${account}/suspend`, { reason }), 200);

  const { phone } = person;
  const { body: sent } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
  const verify = { phone, code: sent.devCode };
  const refused = expectProblem(
    await api.post('/v1/auth/otp/verify', undefined, verify),
    403,
    'account_suspended',
  );
  assertSilent(refused.body, admin);

  expectStatus(await callAs(admin, 'DELETE', `${account}/suspend`), 200);
  expectStatus(await callAs(admin, 'PUT', `${account}/role`, { role: 'admin' }), 200);
  expectStatus(await callAs(admin, 'PUT', `${account}/role`, { role: 'user' }), 200);
  return signIn(api, phone);
}

/** The response names neither reason nor note, neither the admin nor their network. */
function assertSilent(body: unknown, admin: Person, where = ''): void {
  const text = JSON.stringify(body);
  for (const secret of [reason, note, admin.id, admin.username, admin.phone, adminNetwork, '203.0.113.77'])
    assert.ok(!text.includes(secret), `${where} contains ${secret}`);
}

const auditOf = async (person: Person): Promise<Row[]> =>
  expectStatus(await api.get('/v1/me/export', person.token), 200).body.audit;
const byAdmins = ['account_suspended', 'account_restored', 'role_changed', 'role_changed'];

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: neither the reason of a suspension nor the network of the admin, only what was done and when', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  const { body } = expectStatus(await api.get('/v1/me/export', person.token), 200);
  assertSilent(body, admin, 'the export');
  const done = body.audit.filter((row: Row) => byAdmins.includes(`${row.what}`));
  assert.deepEqual(
    done.map(({ what, address, detail }: Row) => ({ what, address, detail })),
    byAdmins.map((what, i) => ({ what, address: null, detail: ['', '', 'to admin', 'to user'][i] })),
  );
  for (const { at } of done) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  // What the person did has its address as before.
  const own = body.audit.filter(({ what }: Row) => what === 'account_created' || what === 'signed_in');
  assert.deepEqual(
    own.map(({ address }: Row) => address),
    ['127.0.0.0/24', '127.0.0.0/24'],
  );
});

test('export: the reason stays private after the account of the admin is deleted', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  expectStatus(await deleteAccount(api, admin), 200);
  const audit = await auditOf(person);
  assertSilent(audit, admin, 'the export');
  assert.deepEqual(
    audit.map(({ what }) => what).filter((what) => byAdmins.includes(`${what}`)),
    byAdmins,
  );
});

test('export: an admin still finds what they did, with their own network', async () => {
  const admin = await createAdmin(api);
  await suspendedAndRestored(admin);
  const { body } = expectStatus(await api.get('/v1/me/export', admin.token), 200);
  assert.deepEqual(
    body.adminActions.map(({ what, address }: Row) => [what, address]),
    byAdmins.map((what) => [what, adminNetwork]),
  );
});

test('audit: admins read reason, admin and network of a suspension', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  const { body } = expectStatus(await api.get(`/v1/admin/audit?userId=${person.id}`, admin.token), 200);
  const entry = body.data.find(({ what }: Row) => what === 'account_suspended');
  assert.deepEqual([entry.detail, entry.byUserId, entry.address], [reason, admin.id, adminNetwork]);
});

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('every list and record of the caller: 200 or a refusal, without what admins keep to themselves', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  const { body: document } = expectStatus(await api.get('/openapi.json'), 200);
  const paths = Object.entries<Record<string, unknown>>(document.paths)
    .filter(([path, methods]) => path.startsWith('/v1') && methods.get && !path.endsWith('.ics'))
    .map(([path]) => path.replace('/users/{id}', `/users/${person.id}`))
    .filter((path) => !path.includes('{'));
  assert.ok(paths.length > 15, paths.join());
  const statuses = new Map<string, number>();
  for (const path of paths) {
    const query = path.endsWith('/search')
      ? '?q=quistgaard'
      : path === '/v1/me/events'
        ? '?relation=organizing'
        : '';
    const answer = await api.get(path + query, person.token);
    statuses.set(path, answer.status);
    assertSilent(answer.body, admin, path);
  }
  for (const [path, status] of statuses) assert.equal(status, path.startsWith('/v1/admin') ? 403 : 200, path);
});
