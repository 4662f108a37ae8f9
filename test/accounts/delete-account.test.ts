/** DELETE /v1/me: the confirmation code, the deleted rows and the unchanged rows (specification 4.8). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { raw } from '#pg';
import { findRowsContaining, type Snapshot, takeSnapshot } from '../support/database-snapshots.ts';
import {
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
  signIn,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { createPersonWithEverything } from '../support/person-with-everything.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp({ env: { QUOTAS: 'on' } });
const second = await api.startAnother();

const requestDeletionCode = async (person: Person): Promise<string> =>
  expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
const deleteWithCode = (person: Person, confirmCode: string, server: TestApp = api) =>
  server.delete('/v1/me', person.token, { confirmCode });
const wrongCode = (code: string) => (code === '000000' ? '000001' : '000000');

async function expectRefused(person: Person, confirmCode: string): Promise<void> {
  const response = expectProblem(await deleteWithCode(person, confirmCode), 400, 'wrong_code');
  assert.deepEqual(
    response.body.errors.map((error: { path: string }) => error.path),
    ['confirmCode'],
  );
  expectStatus(await api.get('/v1/auth/me', person.token), 200);
}

test('delete: 401 without a token, 400 naming confirmCode when it is missing or not a string', async () => {
  const person = await createUser(api);
  const code = await requestDeletionCode(person);
  expectProblem(await api.post('/v1/me/delete-code'), 401, 'token_missing');
  expectProblem(await api.delete('/v1/me', undefined, { confirmCode: code }), 401, 'token_missing');
  expectProblem(await api.delete('/v1/me', person.token), 400, 'invalid_request');
  for (const body of [{}, { confirmCode: Number(code) }, { confirmCode: null }, { code }]) {
    const response = expectProblem(await api.delete('/v1/me', person.token, body), 400, 'invalid_request');
    assert.ok(response.body.errors.some((error: { path: string }) => error.path === 'confirmCode'));
  }
  expectStatus(await deleteWithCode(person, code), 200);
});

// spec: 4.8 DELETE /v1/me, POST /v1/me/delete-code: delete the account with `confirmCode`
// spec: 5 POST /v1/me/delete-code, DELETE /v1/me: account deletion requires a code sent to the phone
test('delete: 400 for any code except the latest deletion code of the caller, and nothing changes', async () => {
  const [person, other] = await createUsers(api, 2);
  assert.ok(person && other);
  const { codes: _codes, code_tries: _tries, ...before } = await takeSnapshot(api.sql);
  await expectRefused(person, '123456');
  const old = await requestDeletionCode(person);
  const newest = await requestDeletionCode(person);
  const codeOfOther = await requestDeletionCode(other);
  const { body } = expectStatus(
    await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
    202,
  );
  for (const code of [old, body.devCode, codeOfOther].filter((code) => code !== newest))
    await expectRefused(person, code);
  const { codes: __codes, code_tries: __tries, ...after } = await takeSnapshot(api.sql);
  assert.deepEqual(after, before);
  // A deletion code is not valid for sign-in.
  expectProblem(
    await api.post('/v1/auth/otp/verify', undefined, { phone: other.phone, code: codeOfOther }),
    400,
    'wrong_code',
  );
  expectStatus(await deleteWithCode(person, newest), 200);
});

test('delete: 400 for an expired code and for strings that are not a code', async () => {
  const person = await createUser(api);
  const code = await requestDeletionCode(person);
  for (const text of ['', ' ', `${code}x`, `${code}0`]) await expectRefused(person, text);
  api.clock.advance(5 * 60_000 + 1_000);
  await expectRefused(person, code);
  // Five wrong codes lock the number.
  expectProblem(await deleteWithCode(person, await requestDeletionCode(person)), 429, 'too_many_tries');
  api.clock.advance(15 * 60_000);
  expectStatus(await deleteWithCode(person, await requestDeletionCode(person)), 200);
});

test('delete: 429 after five wrong codes, also for the correct code and on another server', async () => {
  const person = await createUser(api);
  const code = await requestDeletionCode(person);
  for (let i = 0; i < 5; i++) await expectRefused(person, wrongCode(code));
  for (const on of [api, second]) {
    const response = expectProblem(await deleteWithCode(person, code, on), 429, 'too_many_tries');
    assert.ok(Number(response.headers.get('retry-after')) > 0);
  }
  expectStatus(await api.get('/v1/auth/me', person.token), 200);
});

// spec: 3 DELETE /v1/me: account: existing → deleted
// spec: 5 DELETE /v1/me: account deletion revokes all tokens immediately
test('delete: 200, and every token of the person is rejected at once on every server', async () => {
  const person = await createUser(api, { username: 'leaver' });
  const phone = await signIn(second, person.phone);
  const code = await requestDeletionCode(phone);
  assert.deepEqual(expectStatus(await deleteWithCode(person, code), 200).body, { success: true });
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

test('delete: the phone number can create a new account afterwards, and the username is free', async () => {
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

/**
 * Returns the expected snapshot after the deletion: without the rows that contain an id of the person or of
 * the person's events, and with recomputed counters.
 */
function withoutPerson(before: Snapshot, person: Person, owned: string[], hashes: string[]): Snapshot {
  const deletedIds = [person.id, person.phone, ...hashes, ...owned];
  // What the organizers have not read no longer names the person.
  for (const row of [...(before.event_counters ?? []), ...(before.item_stock ?? [])])
    for (const column of ['rsvps_person_id', 'bookings_person_id', 'claims_person_id', 'requests_person_id'])
      if (row[column] === person.id) row[column] = null;
  const remaining = Object.entries(before).map(([table, rows]) => [
    table,
    rows.filter((row) => !deletedIds.some((text) => JSON.stringify(row).includes(text))),
  ]);
  const after: Snapshot = Object.fromEntries(remaining);
  const count = (table: string, fields: Record<string, unknown>) =>
    (after[table] ?? []).filter((row) =>
      Object.entries(fields).every(([field, value]) => row[field] === value),
    ).length;
  for (const row of after.user_counters ?? []) {
    row.followers_count = count('relations', { user_id: row.user_id, followed_by: true });
    row.following_count = count('relations', { user_id: row.user_id, follows: true });
  }
  /** Organizers have read nothing: all rows of other people are unread. */
  const countUnread = (table: string, row: Record<string, unknown>, key: string[]) =>
    (after[table] ?? []).filter(
      (each) => each.user_id !== row.unread_of && key.every((column) => each[column] === row[column]),
    ).length;
  for (const row of after.event_counters ?? []) {
    row.unread_rsvps = countUnread('rsvps', row, ['event_id']);
    row.unread_bookings = countUnread('bookings', row, ['event_id']);
    row.unread_requests = count('requests', { subject_id: row.event_id, status: 'pending' });
    row.rsvp_count = count('rsvps', { event_id: row.event_id });
    const going = (after.rsvps ?? []).filter(
      ({ event_id, status }) => event_id === row.event_id && status === 'going',
    );
    row.going_count = going.length;
    row.extra_guests_count = going.reduce((sum, { extra_guests }) => sum + Number(extra_guests), 0);
    const bookings = (after.bookings ?? []).filter(({ event_id }) => event_id === row.event_id);
    const booked = bookings.filter(({ status }) => status === 'booked');
    row.booked_count = booked.reduce((sum, { seats }) => sum + Number(seats), 0);
    row.waiting_count = bookings.length - booked.length;
  }
  for (const row of after.comment_counters ?? [])
    row.comment_count = count('comments', { event_id: row.event_id });
  for (const row of after.comments ?? [])
    if (count('comments', { id: row.reply_to }) === 0) row.reply_to = null;
  for (const row of after.item_stock ?? []) {
    row.unread_claims = countUnread('claims', row, ['event_id', 'n']);
    const claims = (after.claims ?? []).filter(
      (claim) => claim.event_id === row.event_id && claim.n === row.n,
    );
    row.claimed = claims.reduce((sum, claim) => sum + Number(claim.quantity), 0);
  }
  return after;
}

/**
 * Sorts the rows of each table. Omits the change log, which contains no id of a person or an event, the
 * audit trail, which gets an entry for the deletion (audit.test.ts), the encrypted tombstone (delete-late-rows.test.ts),
 * and the versions, which it raises.
 */
const sorted = ({ changes, change_shards, audit, deleted_accounts, ...snapshot }: Snapshot) =>
  Object.fromEntries(
    Object.entries(snapshot).map(([table, rows]) => [
      table,
      rows.map(({ version, claims_version, ...row }) => JSON.stringify(row)).sort(),
    ]),
  );

// spec: 3 DELETE /v1/me: account: existing → deleted
// spec: 4.8 DELETE /v1/me, POST /v1/me/delete-code: delete the account with `confirmCode`
test('delete: no table contains the person afterwards, and rows of other people change only in their counters', async () => {
  const { person, around, owned, texts, contactHashes } = await createPersonWithEverything(api, second);
  const code = await requestDeletionCode(person);
  const hashes = contactHashes.map((hash) => hash.toString('hex'));
  const needles = [
    person.id,
    person.phone,
    ...texts,
    ...hashes,
    ...contactHashes.map((hash) => hash.toString('base64url')),
  ];
  const before = await takeSnapshot(api.sql);
  const traces = await findRowsContaining(api.sql, needles);
  // Checks the search: before the deletion it must find the person in all of these tables.
  for (const table of [
    'users',
    'contacts',
    'contact_changes',
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
    'sources',
    'import_runs',
    'import_entries',
    'series',
    'series_rsvps',
    'series_people',
    'conversations',
    'messages',
    'message_counts',
    'notification_causes',
    'notification_settings',
    'notifications',
    'push_deliveries',
    'push_subscriptions',
    'daily_counts',
    'calendars',
  ]) {
    assert.ok(
      traces.some((trace) => trace.startsWith(`${table}.`)),
      `nothing in ${table}`,
    );
  }
  expectStatus(await deleteWithCode(person, code), 200);
  assert.deepEqual(await findRowsContaining(api.sql, [...needles, ...owned]), []);
  const { event_tombstones: tombstones = [], ...after } = await takeSnapshot(api.sql);
  const { event_tombstones: earlier = [], ...others } = withoutPerson(before, person, owned, hashes);
  assert.deepEqual(sorted(after), sorted(others));
  // Of the public events that the person organized, tombstones have the id and a time.
  const added = tombstones.slice(earlier.length).map(({ at: _, ...tombstone }) => tombstone);
  for (const { event_id: id, ...rest } of added) {
    assert.ok(owned.includes(`${id}`));
    assert.deepEqual(rest, { reason: 'deleted' });
  }
  assert.ok(added.length > 0);
  await assertCounters(api.sql);
  for (const { id, token } of around) {
    expectStatus(await api.get(`/v1/users/${id}`, token), 200);
    expectProblem(await api.post(`/v1/users/${person.id}/follow`, token), 404, 'user_not_found');
  }
  for (const id of owned) expectProblem(await api.get(`/v1/events/${id}`), 404, 'event_not_found');
});

test('delete: the counters of sent messages for the number are deleted if the SMS driver delivers', async () => {
  const sent: string[] = [];
  const delivering = await startTestApp({
    sms: {
      delivers: true,
      send: async (_phone, _purpose, code) => void sent.push(code),
      sendNotice: async () => {},
      tellOfChange: async () => {},
      sendTest: async () => {},
    },
  });
  const phone = '+4791234567';
  expectStatus(await delivering.post('/v1/auth/otp/request', undefined, { phone }), 202);
  const { body } = expectStatus(
    await delivering.post('/v1/auth/otp/verify', undefined, { phone, code: sent.at(-1) }),
    200,
  );
  const codeResponse = expectStatus(await delivering.post('/v1/me/delete-code', body.accessToken), 202);
  assert.deepEqual([codeResponse.body.devCode, codeResponse.body.resendAfter], [undefined, 60]);
  expectProblem(await delivering.post('/v1/me/delete-code', body.accessToken), 429, 'too_many_codes');
  const sendCounters = () =>
    delivering.sql`select 1 from code_sends where scope like 'contact:%' or scope like 'strangers:%'`;
  assert.equal((await sendCounters()).length, 2);
  expectStatus(await delivering.delete('/v1/me', body.accessToken, { confirmCode: sent.at(-1) }), 200);
  assert.equal((await sendCounters()).length, 0);
  for (const table of ['codes', 'code_tries', 'known_networks'])
    assert.equal((await delivering.sql`select 1 from ${raw(table)}`).length, 0, table);
});
