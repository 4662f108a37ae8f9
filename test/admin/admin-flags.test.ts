/** Feature flags that admins set while the servers are running. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  nextPhone,
  onePixelPng,
  rsvpGoing,
} from '../support/factories.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';
import { upload } from '../support/upload-helpers.ts';

const api = await startTestApp();
const second = await api.startAnother();
const admin = await createAdmin(api);

const setFlag = (name: string, enabled: unknown, server: TestApp = api) =>
  server.call('PUT', `/v1/admin/flags/${name}`, { token: admin.token, body: { enabled } });
const flagsOf = async (server: TestApp) =>
  Object.fromEntries(
    expectStatus(await server.get('/v1/admin/flags', admin.token), 200).body.data.map(
      ({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled],
    ),
  );

test('flags: 200 with every flag and its description, on by default and off if the configuration says so', async () => {
  const { body } = expectStatus(await api.get('/v1/admin/flags', admin.token), 200);
  assert.deepEqual(
    body.data.map(({ name, enabled, changedAt }: Record<string, unknown>) => [name, enabled, changedAt]),
    ['bookings', 'claims', 'guestRsvp', 'messages', 'signUps', 'uploads'].map((name) => [name, true, null]),
  );
  for (const { description } of body.data) assert.ok(description.length > 0);
  const withClaimsOff = await api.startAnother({ env: { FEATURE_CLAIMS: 'off' } });
  assert.deepEqual(
    [(await flagsOf(withClaimsOff)).claims, (await flagsOf(withClaimsOff)).messages],
    [false, true],
  );
});

// spec: 5 GET /v1/admin/flags, PUT /v1/admin/flags/:name: feature flags at run time
test('flags: a change has effect on every server from the response to it on', async () => {
  const [organizer, ...guests] = await createUsers(api, 5);
  assert.ok(organizer);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 9 });
  for (const guest of guests) await rsvpGoing(api, guest, event.id);
  const claim = (n: number, server: TestApp) =>
    server.post(`/v1/items/${item.id}/claim`, guests[n]?.token, { quantity: 1 });
  const { body } = expectStatus(await setFlag('claims', false), 200);
  assert.deepEqual([body.name, body.enabled, typeof body.changedAt], ['claims', false, 'string']);
  expectProblem(await claim(0, api), 403, 'claims_disabled');
  expectProblem(await claim(0, second), 403, 'claims_disabled');
  assert.deepEqual([(await flagsOf(api)).claims, (await flagsOf(second)).claims], [false, false]);
  expectStatus(await setFlag('claims', true, second), 200);
  expectStatus(await claim(0, second), 201);
  expectStatus(await claim(1, api), 201);
  // The stored value takes precedence over the configuration of a server that starts later.
  const third = await api.startAnother({ env: { FEATURE_CLAIMS: 'off' } });
  expectStatus(await claim(2, third), 201);
});

test('flags: 403 on each server for every feature, after the response of the other server; 201 after the switch back', async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const event = await createEvent(api, other);
  const actions: Record<string, (server: TestApp) => Promise<ApiResponse>> = {
    uploads: (server) => upload(server, person, onePixelPng),
    messages: (server) => server.post(`/v1/users/${other.id}/messages`, person.token, { text: 'Hello' }),
    bookings: async (server) => {
      const created = await server.post(`/v1/events/${event.id}/booking`, person.token, { seats: 1 });
      if (created.status === 201) await server.delete(`/v1/events/${event.id}/booking`, person.token);
      return created;
    },
    signUps: async (server) => {
      const phone = nextPhone();
      const { body } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
      return server.post('/v1/auth/otp/verify', undefined, { phone, code: body.devCode });
    },
  };
  for (let round = 0; round < often(20); round++) {
    const [here, there] = round % 2 ? [api, second] : [second, api];
    for (const [name, act] of Object.entries(actions)) {
      expectStatus(await setFlag(name, false, here), 200);
      expectProblem(await act(there), 403, 'feature_disabled');
      expectStatus(await setFlag(name, true, there), 200);
      expectStatus(await act(here), name === 'signUps' ? 200 : 201);
    }
  }
});

// spec: 5 GET /v1/features: which features are switched on
test('features: 200 without a token, with what is switched off', async () => {
  const featuresOf = async (server: TestApp) => expectStatus(await server.get('/v1/features'), 200).body;
  const flags = {
    ...{ bookings: true, claims: true, guestRsvp: true },
    ...{ messages: true, signUps: true, uploads: true },
  };
  const allOn = { ...flags, signIn: ['phone', 'email'], oidcName: null, mail: true };
  assert.deepEqual(await featuresOf(api), allOn);
  expectStatus(await setFlag('claims', false), 200);
  assert.deepEqual(await featuresOf(api), { ...allOn, claims: false });
  assert.deepEqual(await featuresOf(second), { ...allOn, claims: false });
  expectStatus(await setFlag('claims', true), 200);
});

// spec: 5 GET /v1/admin/flags, PUT /v1/admin/flags/:name: feature flags at run time
test('flags: 200 for existing accounts and 403 feature_disabled for new accounts while signUps is off', async () => {
  const person = await createUser(api);
  expectStatus(await setFlag('signUps', false), 200);
  const verifyCode = async (phone: string) => {
    const { body } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
    return api.post('/v1/auth/otp/verify', undefined, { phone, code: body.devCode });
  };
  expectStatus(await verifyCode(person.phone), 200);
  const phone = nextPhone();
  const before = await api.sql`select count(*) from users`;
  expectProblem(await verifyCode(phone), 403, 'feature_disabled');
  assert.deepEqual(await api.sql`select count(*) from users`, before);
  assert.equal((await api.sql`select 1 from contacts where contact = ${phone}`).length, 0);
  expectStatus(await setFlag('signUps', true), 200);
  assert.equal(expectStatus(await verifyCode(phone), 200).body.isNewUser, true);
});

// spec: 5 GET /v1/admin/flags, PUT /v1/admin/flags/:name: feature flags at run time
test('flags: 403 feature_disabled while messages, bookings and uploads are off; existing messages stay readable', async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const event = await createEvent(api, other);
  const sendMessage = (text: string) => api.post(`/v1/users/${other.id}/messages`, person.token, { text });
  const book = () => api.post(`/v1/events/${event.id}/booking`, person.token, { seats: 1 });
  expectStatus(await sendMessage('Before'), 201);
  for (const name of ['messages', 'bookings', 'uploads']) expectStatus(await setFlag(name, false), 200);
  for (const call of [sendMessage('While'), book(), upload(api, person, onePixelPng)])
    expectProblem(await call, 403, 'feature_disabled');
  const { body } = expectStatus(await api.get(`/v1/users/${person.id}/messages`, other.token), 200);
  assert.deepEqual(
    body.data.map(({ text }: { text: string }) => text),
    ['Before'],
  );
  for (const name of ['messages', 'bookings', 'uploads']) expectStatus(await setFlag(name, true), 200);
  for (const call of [sendMessage('After'), book(), upload(api, person, onePixelPng)])
    expectStatus(await call, 201);
});

test('flags: 401 without a token, 403 without the admin role, 404 for an unknown flag, 400 for a value that is not a boolean', async () => {
  const person = await createUser(api);
  const body = { enabled: false };
  const path = '/v1/admin/flags/claims';
  expectProblem(await api.call('PUT', path, { body }), 401, 'token_missing');
  expectProblem(await api.call('PUT', path, { token: person.token, body }), 403, 'not_admin');
  expectProblem(await api.get('/v1/admin/flags', person.token), 403, 'not_admin');
  for (const name of ['teleport', 'constructor'])
    expectProblem(await setFlag(name, true), 404, 'flag_not_found');
  for (const enabled of ['off', 0, null, undefined])
    expectProblem(await setFlag('claims', enabled), 400, 'invalid_request');
  assert.equal((await flagsOf(api)).claims, true);
});

test('flags: each change of a flag adds one audit entry, also after 20 concurrent requests', async () => {
  const auditEntries = () =>
    api.sql`select detail from audit where what = 'flag_changed' and detail like 'uploads%'`;
  const before = (await auditEntries()).length;
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => setFlag('uploads', false, i % 2 ? api : second)),
  );
  for (const response of responses) expectStatus(response, 200);
  assert.equal((await auditEntries()).length, before + 1);
  expectStatus(await setFlag('uploads', true), 200);
  assert.equal((await auditEntries()).length, before + 2);
});
