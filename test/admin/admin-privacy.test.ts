/**
 * Data of admins that other people never receive: notes, the admin's identity and network. The reason of a suspension
 * reaches its person alone.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createUser,
  deleteAccount,
  type Person,
  signIn,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ env: { TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });

const reason = 'Quistgaard tickets resold twice';
const note = 'Seen by Pemberton before';
const adminNetwork = '203.0.113.0/24';

type Row = Record<string, unknown>;

/** Sends a request of an admin from the network of the admin. */
const callAs = (admin: Person, method: string, path: string, body?: unknown) =>
  api.call(method, path, { token: admin.token, body, headers: { 'x-forwarded-for': '203.0.113.77' } });

/**
 * A person whom an admin suspended with a reason, restored, made an admin, and made a user again; with a new
 * session.
 */
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
  const limited = expectStatus(await api.post('/v1/auth/otp/verify', undefined, verify), 200);
  const { accessToken } = limited.body;
  const refused = expectProblem(await api.get('/v1/auth/me', accessToken), 403, 'account_suspended');
  const exported = expectStatus(await api.get('/v1/me/export', accessToken), 200);
  for (const { body } of [limited, refused, exported]) assertNoAdminData(body, admin);
  assert.equal(refused.body.suspension.reason, reason);
  assert.equal(exported.body.profile[0].suspensionReason, reason);

  expectStatus(await callAs(admin, 'DELETE', `${account}/suspend`), 200);
  expectStatus(await callAs(admin, 'PUT', `${account}/role`, { role: 'admin' }), 200);
  expectStatus(await callAs(admin, 'PUT', `${account}/role`, { role: 'user' }), 200);
  return signIn(api, phone);
}

/** The response contains neither note, identity nor network of the admin. */
function assertNoAdminData(body: unknown, admin: Person, where = ''): void {
  const text = JSON.stringify(body);
  for (const secret of [note, admin.id, admin.username, admin.phone, adminNetwork, '203.0.113.77'])
    assert.ok(!text.includes(secret), `${where} contains ${secret}`);
}

const auditOf = async (person: Person): Promise<Row[]> =>
  expectStatus(await api.get('/v1/me/export', person.token), 200).body.audit;
const byAdmins = ['account_suspended', 'account_restored', 'role_changed', 'role_changed'];

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('export: a suspension has its time and reason, but neither the admin nor the network of the admin', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  const { body } = expectStatus(await api.get('/v1/me/export', person.token), 200);
  assertNoAdminData(body, admin, 'the export');
  const adminEntries = body.audit.filter((row: Row) => byAdmins.includes(`${row.what}`));
  assert.deepEqual(
    adminEntries.map(({ what, address, detail }: Row) => ({ what, address, detail })),
    byAdmins.map((what, i) => ({ what, address: null, detail: [reason, '', 'to admin', 'to user'][i] })),
  );
  for (const { at } of adminEntries) assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
  // Entries of the person's own actions keep their address: the sign-up, and the sign-ins before and after
  // the restoration.
  const ownEntries = body.audit.filter(({ what }: Row) => what === 'account_created' || what === 'signed_in');
  assert.deepEqual(
    ownEntries.map(({ address }: Row) => address),
    Array(3).fill('127.0.0.0/24'),
  );
});

test('export: the admin of a suspension stays private after the account of the admin is deleted', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  expectStatus(await deleteAccount(api, admin), 200);
  const audit = await auditOf(person);
  assertNoAdminData(audit, admin, 'the export');
  assert.deepEqual(
    audit.map(({ what }) => what).filter((what) => byAdmins.includes(`${what}`)),
    byAdmins,
  );
});

test("export: an admin's own actions are in the admin's export, with the admin's network", async () => {
  const admin = await createAdmin(api);
  await suspendedAndRestored(admin);
  const { body } = expectStatus(await api.get('/v1/me/export', admin.token), 200);
  assert.deepEqual(
    body.adminActions.map(({ what, address }: Row) => [what, address]),
    byAdmins.map((what) => [what, adminNetwork]),
  );
});

test('audit: 200 for admins with reason, admin and network of a suspension', async () => {
  const admin = await createAdmin(api);
  const person = await suspendedAndRestored(admin);
  const { body } = expectStatus(await api.get(`/v1/admin/audit?userId=${person.id}`, admin.token), 200);
  const entry = body.data.find(({ what }: Row) => what === 'account_suspended');
  assert.deepEqual([entry.detail, entry.byUserId, entry.address], [reason, admin.id, adminNetwork]);
  assert.deepEqual([entry.name, entry.byName], [person.username, admin.username]);
  const ofAction = await api.get(`/v1/admin/audit?userId=${person.id}&what=role_changed`, admin.token);
  const found = expectStatus(ofAction, 200).body.data;
  assert.deepEqual(
    found.map(({ what, detail }: Row) => `${what} ${detail}`),
    ['role_changed to user', 'role_changed to admin'],
  );
});

/** The required parameters of lists. */
const queries: Record<string, string> = {
  '/v1/events/search': '?q=quistgaard',
  '/v1/events/suggest': '?q=quistgaard',
  '/v1/events/map': '?bbox=-180,-90,180,90&zoom=2',
  '/v1/events/highlights': '?ids=0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1',
  '/v1/users/search': '?q=quistgaard',
  '/v1/places': '?q=quistgaard',
  '/v1/me/events': '?relation=organizing',
  '/v1/admin/mails/preview': '?kind=reminder',
  '/v1/setup': '?token=pf_none',
};

// spec: 4.8 GET /v1/me/export: export of everything stored about the caller
test('lists and records of the caller: 200, or 403 for admin routes, without data of admins', async () => {
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
    const response = await api.get(path + (queries[path] ?? ''), person.token);
    statuses.set(path, response.status);
    assertNoAdminData(response.body, admin, path);
    // After the restoration, the export alone has the reason.
    if (path !== '/v1/me/export') assert.ok(!JSON.stringify(response.body).includes(reason), path);
  }
  // The URL of the test server is not https, which web push requires.
  const isRefused = (path: string) => path.startsWith('/v1/admin') || path === '/v1/push/key';
  const expected = (path: string) =>
    isRefused(path) ? 403 : ['/v1/setup', '/v1/invitation'].includes(path) ? 404 : 200;
  for (const [path, status] of statuses) assert.equal(status, expected(path), path);
});
