/** Flags that admins switch while servers run. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  nextPhone,
  rsvpGoing,
} from './factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const admin = await createAdmin(api);

const put = (name: string, enabled: unknown, on: TestApp = api) =>
  on.call('PUT', `/v1/admin/flags/${name}`, { token: admin.token, body: { enabled } });
const flagsOf = async (on: TestApp) =>
  Object.fromEntries(
    expectStatus(await on.get('/v1/admin/flags', admin.token), 200).body.data.map(
      ({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled],
    ),
  );
/** Longer than any server may take to find out. */
const aSecond = () => sleep(1_000);

test('flags: 200 with all of them, on unless the configuration says otherwise, and what each of them switches', async () => {
  const { body } = expectStatus(await api.get('/v1/admin/flags', admin.token), 200);
  assert.deepEqual(
    body.data.map(({ name, enabled, changedAt }: Record<string, unknown>) => [name, enabled, changedAt]),
    ['bookings', 'claims', 'messages', 'signUps', 'uploads'].map((name) => [name, true, null]),
  );
  for (const { description } of body.data) assert.ok(description.length > 0);
  const off = await api.another({ env: { FEATURE_CLAIMS: 'off' } });
  assert.deepEqual([(await flagsOf(off)).claims, (await flagsOf(off)).messages], [false, true]);
});

// spec: 5 GET /v1/admin/flags, PUT /v1/admin/flags/:name: feature flags at run time
test('flags: what is switched holds at once where it was, and on other instances within a second', async () => {
  const [organizer, ...guests] = await createUsers(api, 5);
  assert.ok(organizer);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { quantityNeeded: 9 });
  for (const guest of guests) await rsvpGoing(api, guest, event.id);
  const claim = (n: number, on: TestApp) =>
    on.post(`/v1/items/${item.id}/claim`, guests[n]?.token, { quantity: 1 });
  const { body } = expectStatus(await put('claims', false), 200);
  assert.deepEqual([body.name, body.enabled, typeof body.changedAt], ['claims', false, 'string']);
  expectProblem(await claim(0, api), 403, 'claims_disabled');
  await aSecond();
  expectProblem(await claim(0, second), 403, 'claims_disabled');
  assert.deepEqual([(await flagsOf(api)).claims, (await flagsOf(second)).claims], [false, false]);
  expectStatus(await put('claims', true, second), 200);
  expectStatus(await claim(0, second), 201);
  await aSecond();
  expectStatus(await claim(1, api), 201);
  // A server that starts later finds what was switched, whatever its configuration says.
  const third = await api.another({ env: { FEATURE_CLAIMS: 'off' } });
  expectStatus(await claim(2, third), 201);
});

// spec: 5 GET /v1/admin/flags, PUT /v1/admin/flags/:name: feature flags at run time
test('flags: signUps off lets those in who have an account, and makes no new one', async () => {
  const person = await createUser(api);
  expectStatus(await put('signUps', false), 200);
  const enter = async (phone: string) => {
    const { body } = expectStatus(await api.post('/v1/auth/otp/request', undefined, { phone }), 202);
    return api.post('/v1/auth/otp/verify', undefined, { phone, code: body.devCode });
  };
  expectStatus(await enter(person.phone), 200);
  const phone = nextPhone();
  const before = await api.sql`select count(*) from users`;
  expectProblem(await enter(phone), 403, 'feature_disabled');
  assert.deepEqual(await api.sql`select count(*) from users`, before);
  assert.equal((await api.sql`select 1 from phones where phone = ${phone}`).length, 0);
  expectStatus(await put('signUps', true), 200);
  assert.equal(expectStatus(await enter(phone), 200).body.isNewUser, true);
});

// spec: 5 GET /v1/admin/flags, PUT /v1/admin/flags/:name: feature flags at run time
test('flags: messages, bookings and uploads off are 403 feature_disabled, what is there stays readable, and on is on', async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const event = await createEvent(api, other);
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
    'base64',
  );
  const write = (text: string) => api.post(`/v1/users/${other.id}/messages`, person.token, { text });
  const book = () => api.post(`/v1/events/${event.id}/booking`, person.token, { seats: 1 });
  const upload = async () => {
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'image/png' };
    const answer = await fetch(`${api.url}/v1/uploads`, { method: 'POST', headers, body: png });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  expectStatus(await write('Before'), 201);
  for (const name of ['messages', 'bookings', 'uploads']) expectStatus(await put(name, false), 200);
  for (const call of [write('While'), book(), upload()]) expectProblem(await call, 403, 'feature_disabled');
  const { body } = expectStatus(await api.get(`/v1/users/${person.id}/messages`, other.token), 200);
  assert.deepEqual(
    body.data.map(({ text }: { text: string }) => text),
    ['Before'],
  );
  for (const name of ['messages', 'bookings', 'uploads']) expectStatus(await put(name, true), 200);
  for (const call of [write('After'), book(), upload()]) expectStatus(await call, 201);
});

test('flags: 403 for who is no admin, 404 for a flag that does not exist, 400 for what is no boolean', async () => {
  const person = await createUser(api);
  const body = { enabled: false };
  const path = '/v1/admin/flags/claims';
  expectProblem(await api.call('PUT', path, { body }), 401, 'token_missing');
  expectProblem(await api.call('PUT', path, { token: person.token, body }), 403, 'not_admin');
  for (const name of ['teleport', 'constructor']) expectProblem(await put(name, true), 404, 'flag_not_found');
  for (const enabled of ['off', 0, null, undefined])
    expectProblem(await put('claims', enabled), 400, 'invalid_request');
  assert.equal((await flagsOf(api)).claims, true);
});

test('flags: each switch is one entry in the audit trail, twenty at once too', async () => {
  const told = () => api.sql`select detail from audit where what = 'flag_changed' and detail like 'uploads%'`;
  const before = (await told()).length;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => put('uploads', false, i % 2 ? api : second)),
  );
  for (const answer of answers) expectStatus(answer, 200);
  assert.equal((await told()).length, before + 1);
  expectStatus(await put('uploads', true), 200);
  assert.equal((await told()).length, before + 2);
});
