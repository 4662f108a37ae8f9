/** DELETE /v1/me: what it asks for, what it takes along, and what it leaves alone (spec 4.8). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { hashPhone } from '../src/modules/auth/code-hashes.ts';
import { findRowsContaining, type Snapshot, takeSnapshot } from './database-snapshots.ts';
import { createEvent, createUser, createUsers, deleteAccount, type Person, signIn } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { createPersonWithEverything } from './person-with-everything.ts';
import { expectProblem, expectStatus, secretKey, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();

const askForCode = async (person: Person): Promise<string> =>
  expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
const leave = (person: Person, confirmCode: string, on: TestApp = api) =>
  on.delete('/v1/me', person.token, { confirmCode });
const not = (code: string) => (code === '000000' ? '000001' : '000000');

async function expectRefused(person: Person, confirmCode: string): Promise<void> {
  const answer = expectProblem(await leave(person, confirmCode), 400, 'wrong_code');
  assert.deepEqual(
    answer.body.errors.map((error: { path: string }) => error.path),
    ['confirmCode'],
  );
  expectStatus(await api.get('/v1/auth/me', person.token), 200);
}

test('delete: 401 without a token, 400 naming confirmCode where it is missing or no text', async () => {
  const person = await createUser(api);
  const code = await askForCode(person);
  expectProblem(await api.post('/v1/me/delete-code'), 401, 'token_missing');
  expectProblem(await api.delete('/v1/me', undefined, { confirmCode: code }), 401, 'token_missing');
  expectProblem(await api.delete('/v1/me', person.token), 400, 'invalid_request');
  for (const body of [{}, { confirmCode: Number(code) }, { confirmCode: null }, { code }]) {
    const answer = expectProblem(await api.delete('/v1/me', person.token, body), 400, 'invalid_request');
    assert.ok(answer.body.errors.some((error: { path: string }) => error.path === 'confirmCode'));
  }
  expectStatus(await leave(person, code), 200);
});

// spec: 4.8 DELETE /v1/me, POST /v1/me/delete-code: delete the account with `confirmCode`
// spec: 5 POST /v1/me/delete-code, DELETE /v1/me: account deletion requires a code sent to the phone
test('delete: 400 for any code but the newest of this person for this purpose, and nothing is lost', async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const { codes: _, ...before } = await takeSnapshot(api.sql);
  await expectRefused(person, '123456');
  const old = await askForCode(person);
  const newest = await askForCode(person);
  const others = await askForCode(other);
  const { body } = expectStatus(
    await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
    202,
  );
  for (const code of [old, body.devCode, others].filter((code) => code !== newest))
    await expectRefused(person, code);
  const { codes: __, ...after } = await takeSnapshot(api.sql);
  assert.deepEqual(after, before);
  // A deletion code signs nobody in either.
  expectProblem(
    await api.post('/v1/auth/otp/verify', undefined, { phone: other.phone, code: others }),
    400,
    'wrong_code',
  );
  expectStatus(await leave(person, newest), 200);
});

test('delete: 400 for a code of six minutes ago, and for texts that are no code', async () => {
  const person = await createUser(api);
  const code = await askForCode(person);
  for (const text of ['', ' ', `${code} `, `${code}0`]) await expectRefused(person, text);
  api.clock.advance(5 * 60_000 + 1_000);
  await expectRefused(person, code);
  // Those were five.
  expectProblem(await leave(person, await askForCode(person)), 429, 'too_many_tries');
  api.clock.advance(15 * 60_000);
  expectStatus(await leave(person, await askForCode(person)), 200);
});

test('delete: 429 after five wrong codes, even for the right one and on another instance', async () => {
  const person = await createUser(api);
  const code = await askForCode(person);
  for (let i = 0; i < 5; i++) await expectRefused(person, not(code));
  for (const on of [api, second]) {
    const answer = expectProblem(await leave(person, code, on), 429, 'too_many_tries');
    assert.ok(Number(answer.headers.get('retry-after')) > 0);
  }
  expectStatus(await api.get('/v1/auth/me', person.token), 200);
});

// spec: 3 DELETE /v1/me: account: existing → deleted
// spec: 5 DELETE /v1/me: account deletion revokes all tokens immediately
test('delete: 200, and every token of the person is dead at once on every instance', async () => {
  const person = await createUser(api, { username: 'leaver' });
  const phone = await signIn(second, person.phone);
  const code = await askForCode(phone);
  assert.deepEqual(expectStatus(await leave(person, code), 200).body, { success: true });
  for (const on of [second, api]) {
    for (const { token, refreshToken } of [person, phone]) {
      expectProblem(await on.get('/v1/auth/me', token), 401, 'token_invalid');
      expectProblem(await on.get('/v1/events', token), 401, 'token_invalid');
      expectProblem(await on.delete('/v1/me', token, { confirmCode: code }), 401, 'token_invalid');
      expectProblem(
        await on.post('/v1/auth/refresh', undefined, { refreshToken }),
        401,
        'refresh_token_invalid',
      );
    }
    expectProblem(await on.get(`/v1/users/${person.id}`), 404, 'user_not_found');
  }
});

test('delete: the phone makes a fresh account afterwards, and the username is free', async () => {
  const person = await createUser(api, { name: 'Once Here', username: 'once.here', bio: 'Gone soon.' });
  await createEvent(api, person);
  expectStatus(await deleteAccount(api, person), 200);
  const { body: sent } = expectStatus(
    await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
    202,
  );
  const { body } = expectStatus(
    await api.post('/v1/auth/otp/verify', undefined, { phone: person.phone, code: sent.devCode }),
    200,
  );
  assert.equal(body.isNewUser, true);
  assert.notEqual(body.user.id, person.id);
  assert.deepEqual([body.user.bio, body.user.city, body.user.eventsCount], ['', '', 0]);
  const other = await createUser(api);
  expectStatus(await api.patch('/v1/me', other.token, { username: 'once.here' }), 200);
});

/** What must be there afterwards: every row that neither names the person nor hangs on an event of theirs, recounted. */
function withoutPerson(before: Snapshot, person: Person, owned: string[], phoneHash: string): Snapshot {
  const gone = [person.id, person.phone, phoneHash, ...owned];
  const kept = Object.entries(before).map(([table, rows]) => [
    table,
    rows.filter((row) => !gone.some((text) => JSON.stringify(row).includes(text))),
  ]);
  const after: Snapshot = Object.fromEntries(kept);
  const count = (table: string, fields: Record<string, unknown>) =>
    (after[table] ?? []).filter((row) =>
      Object.entries(fields).every(([field, value]) => row[field] === value),
    ).length;
  for (const row of after.user_counters ?? []) {
    row.followers_count = count('relations', { user_id: row.user_id, followed_by: true });
    row.following_count = count('relations', { user_id: row.user_id, follows: true });
  }
  for (const row of after.event_counters ?? []) {
    row.rsvp_count = count('rsvps', { event_id: row.event_id });
    row.going_count = count('rsvps', { event_id: row.event_id, status: 'going' });
    const bookings = (after.bookings ?? []).filter(({ event_id }) => event_id === row.event_id);
    const booked = bookings.filter(({ status }) => status === 'booked');
    row.booked_count = booked.reduce((sum, { seats }) => sum + Number(seats), 0);
    row.waiting_count = bookings.length - booked.length;
  }
  for (const row of after.item_stock ?? []) {
    const claims = (after.claims ?? []).filter(
      (claim) => claim.event_id === row.event_id && claim.n === row.n,
    );
    row.claimed = claims.reduce((sum, claim) => sum + Number(claim.quantity), 0);
  }
  return after;
}

/**
 * Without what tells servers which days and cells of their lists to read again, which names nobody and no event, and
 * without the audit trail, which says that somebody went (audit.test.ts).
 */
const sorted = ({ changes, change_shards, audit, ...snapshot }: Snapshot) =>
  Object.fromEntries(
    Object.entries(snapshot).map(([table, rows]) => [table, rows.map((row) => JSON.stringify(row)).sort()]),
  );

// spec: 3 DELETE /v1/me: account: existing → deleted
// spec: 4.8 DELETE /v1/me, POST /v1/me/delete-code: delete the account with `confirmCode`
test('delete: nothing of the person stays in any table, and nothing of anybody else changes but the counts', async () => {
  const { person, around, owned, texts } = await createPersonWithEverything(api, second);
  const code = await askForCode(person);
  const phoneHash = hashPhone(secretKey, person.phone);
  const needles = [
    person.id,
    person.phone,
    ...texts,
    phoneHash.toString('hex'),
    phoneHash.toString('base64url'),
  ];
  const before = await takeSnapshot(api.sql);
  const found = await findRowsContaining(api.sql, needles);
  // The search itself is put to the test: as much as this is what it must find while they are here.
  for (const table of [
    'users',
    'phones',
    'usernames',
    'user_counters',
    'relations',
    'sessions',
    'codes',
    'events',
    'rsvps',
    'saves',
    'claims',
    'uploads',
    'upload_usage',
    'bookings',
    'imports',
    'conversations',
    'messages',
    'message_counts',
    'calendars',
  ]) {
    assert.ok(
      found.some((trace) => trace.startsWith(`${table}.`)),
      `nothing in ${table}`,
    );
  }
  expectStatus(await leave(person, code), 200);
  assert.deepEqual(await findRowsContaining(api.sql, [...needles, ...owned]), []);
  assert.deepEqual(
    sorted(await takeSnapshot(api.sql)),
    sorted(withoutPerson(before, person, owned, phoneHash.toString('hex'))),
  );
  await assertCounters(api.sql);
  for (const { id, token } of around) {
    expectStatus(await api.get(`/v1/users/${id}`, token), 200);
    expectProblem(await api.post(`/v1/users/${person.id}/follow`, token), 404, 'user_not_found');
  }
  for (const id of owned) expectProblem(await api.get(`/v1/events/${id}`), 404, 'event_not_found');
});

test('delete: what was sent to the number is forgotten too where messages are really sent', async () => {
  const sent: string[] = [];
  const earnest = await startTestApp({
    sms: { delivers: true, send: async (_phone, _purpose, code) => void sent.push(code) },
  });
  const phone = '+4791234567';
  expectStatus(await earnest.post('/v1/auth/otp/request', undefined, { phone }), 202);
  const { body } = expectStatus(
    await earnest.post('/v1/auth/otp/verify', undefined, { phone, code: sent.at(-1) }),
    200,
  );
  expectProblem(await earnest.post('/v1/me/delete-code', body.accessToken), 429, 'too_many_codes');
  earnest.clock.advance(61_000);
  const asked = expectStatus(await earnest.post('/v1/me/delete-code', body.accessToken), 202);
  assert.deepEqual([asked.body.devCode, asked.body.resendAfter], [undefined, 60]);
  const counted = () => earnest.sql`select 1 from code_sends where scope like 'number:%'`;
  assert.equal((await counted()).length, 1);
  expectStatus(await earnest.delete('/v1/me', body.accessToken, { confirmCode: sent.at(-1) }), 200);
  assert.equal((await counted()).length, 0);
  assert.equal((await earnest.sql`select 1 from codes`).length, 0);
});
