import assert from 'node:assert/strict';
import test from 'node:test';
import { transaction } from '#pg';
import { listLiveSessions, sessionKey } from '../../src/identity/sessions.ts';
import { parseToken, successorPair } from '../../src/identity/tokens.ts';
import { rotateSession, setRole } from '../../src/modules/accounts/sessions/repo.ts';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  deleteAccount,
  nextPhone,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { expectProblem, expectStatus, secretKey, startTestApp, TestClock } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';
import { skipsOnCitus } from '../support/test-database.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const otherServer = await api.startAnother();
const [minute, day] = [60_000, 86_400_000];

const refresh = (refreshToken: string, on = api) => on.post('/v1/auth/refresh', undefined, { refreshToken });
const isValid = async (token: string) => (await otherServer.get('/v1/auth/me', token)).status === 200;

async function expectTokensInvalid(person: Person, ...tokens: string[]): Promise<void> {
  for (const token of [person.token, ...tokens])
    expectProblem(await otherServer.get('/v1/auth/me', token), 401, 'token_invalid');
}

// spec: 5 POST /v1/auth/refresh: lifetime and refresh of tokens
test('refresh: 200 with a new pair of tokens; the old access token becomes invalid', async () => {
  const person = await createUser(api);
  const { body } = expectStatus(await refresh(person.refreshToken), 200);
  assert.deepEqual(Object.keys(body).sort(), ['accessToken', 'expiresIn', 'refreshToken', 'tokenType']);
  assert.deepEqual([body.tokenType, body.expiresIn], ['Bearer', 1800]);
  assert.ok(await isValid(body.accessToken));
  assert.ok(!(await isValid(person.token)));
});

test('refresh: 200 with the same new tokens for a repeated request within ten seconds, while they are unused', async () => {
  const person = await createUser(api);
  const first = expectStatus(await refresh(person.refreshToken), 200).body;
  clock.advance(8_000);
  const again = expectStatus(await refresh(person.refreshToken, otherServer), 200).body;
  assert.deepEqual([again.accessToken, again.refreshToken], [first.accessToken, first.refreshToken]);
  assert.ok(again.expiresIn <= 1792);
});

test('refresh: 401 and the end of the session when a refresh token is reused after ten seconds', async () => {
  const person = await createUser(api);
  const { body } = expectStatus(await refresh(person.refreshToken), 200);
  clock.advance(10_100);
  expectProblem(await refresh(person.refreshToken), 401, 'refresh_token_invalid');
  await expectTokensInvalid(person, body.accessToken);
  expectProblem(await refresh(body.refreshToken), 401, 'refresh_token_invalid');
});

test('refresh: 401 and the end of the session when a refresh token is reused after its successor was used', async () => {
  const person = await createUser(api);
  const second = expectStatus(await refresh(person.refreshToken), 200).body;
  const third = expectStatus(await refresh(second.refreshToken), 200).body;
  assert.ok(await isValid(third.accessToken));
  expectProblem(await refresh(person.refreshToken, otherServer), 401, 'refresh_token_invalid');
  await expectTokensInvalid(person, second.accessToken, third.accessToken);
});

// spec: 5 POST /v1/auth/refresh: lifetime and refresh of tokens
test('refresh: twenty concurrent requests on two servers get the same new tokens', async () => {
  const person = await createUser(api);
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, i) => refresh(person.refreshToken, i % 2 ? api : otherServer)),
  );
  const pairs = responses
    .map((response) => expectStatus(response, 200).body)
    .map((body) => `${body.accessToken} ${body.refreshToken}`);
  assert.equal(new Set(pairs).size, 1);
});

test('refresh: 401 and the end of the session for a request that waited while its token was replaced twice', async () => {
  const person = await createUser(api);
  const { waiting } = await api.sql.begin(async (tx) => {
    await tx`select 1 from sessions where user_id = ${person.id} for update`;
    const waiting = refresh(person.refreshToken, otherServer);
    await untilBlockedBy(api.sql, await connectionOf(tx), waiting);
    let text = person.refreshToken;
    for (let i = 0; i < 2; i++) {
      const spent = parseToken('refresh', text, secretKey);
      assert.ok(spent);
      const next = successorPair(secretKey, spent, text);
      const later = new Date(clock.now().getTime() + day);
      await rotateSession(tx, spent, next, {
        now: clock.now(),
        accessExpiresAt: later,
        refreshExpiresAt: later,
      });
      text = next.refreshToken;
    }
    return { waiting };
  });
  expectProblem(await waiting, 401, 'refresh_token_invalid');
  assert.deepEqual(await api.sql`select id from sessions where user_id = ${person.id}`, []);
});

test('refresh: 401 for a forged token with valid ids; the session stays valid', async () => {
  const person = await createUser(api);
  const bytes = Buffer.from(person.refreshToken.slice(3), 'base64url');
  for (const at of [33, bytes.length - 1]) {
    const forged = Buffer.from(bytes);
    forged[at] = (forged[at] ?? 0) ^ 1;
    expectProblem(await refresh(`pr_${forged.toString('base64url')}`), 401, 'refresh_token_invalid');
  }
  for (const text of ['', 'pr_', person.token, `${person.refreshToken}A`, 'pr_%00', '🎂']) {
    expectProblem(await refresh(text), 401, 'refresh_token_invalid');
  }
  assert.ok(await isValid(person.token));
  expectStatus(await refresh(person.refreshToken), 200);
});

// spec: 5 POST /v1/auth/refresh: lifetime and refresh of tokens
test('tokens: an access token expires after 30 minutes, a refresh token after 30 days', async () => {
  const person = await createUser(api);
  clock.advance(29 * minute);
  assert.ok(await isValid(person.token));
  clock.advance(minute);
  await expectTokensInvalid(person);
  clock.advance(29 * day);
  const { body } = expectStatus(await refresh(person.refreshToken), 200);
  clock.advance(30 * day);
  expectProblem(await refresh(body.refreshToken), 401, 'refresh_token_invalid');
});

test('tokens: a session ends after 180 days, regardless of refreshes', async () => {
  const person = await createUser(api);
  let { refreshToken } = person;
  for (let month = 1; month <= 7; month++) {
    clock.advance(25 * day);
    refreshToken = expectStatus(await refresh(refreshToken), 200).body.refreshToken;
  }
  clock.advance(5 * day - 10 * minute);
  const last = expectStatus(await refresh(refreshToken), 200).body;
  assert.ok(last.expiresIn <= 600, `${last.expiresIn}`);
  clock.advance(10 * minute);
  expectProblem(await refresh(last.refreshToken), 401, 'refresh_token_invalid');
  await expectTokensInvalid(person, last.accessToken);
});

test('tokens: the database contains only hashes of tokens', async () => {
  const person = await createUser(api);
  const secrets = [person.token, person.refreshToken].map((token) =>
    Buffer.from(token.slice(3), 'base64url').subarray(32, 56),
  );
  const [row] = await api.sql<
    { whole: string }[]
  >`select sessions::text as whole from sessions where user_id = ${person.id}`;
  for (const secret of secrets) assert.ok(!row?.whole.includes(secret.toString('hex')));
  assert.ok(!row?.whole.includes(person.token.slice(3)));
});

// spec: 5 POST /v1/auth/logout, GET /v1/auth/sessions, DELETE /v1/auth/sessions/:id: end of a session
test('logout: 200; another server immediately responds 401 to the token; other sessions stay valid', async () => {
  const phone = nextPhone();
  const [laptop, mobile] = [await signIn(api, phone), await signIn(api, phone)];
  assert.ok(await isValid(laptop.token));
  assert.deepEqual(expectStatus(await api.post('/v1/auth/logout', laptop.token), 200).body, {
    success: true,
  });
  await expectTokensInvalid(laptop);
  expectProblem(await refresh(laptop.refreshToken), 401, 'refresh_token_invalid');
  expectProblem(await api.post('/v1/auth/logout', laptop.token), 401, 'token_invalid');
  assert.ok(await isValid(mobile.token));
});

// spec: 5 POST /v1/auth/logout, GET /v1/auth/sessions, DELETE /v1/auth/sessions/:id: end of a session
test('sessions: 200 with the sessions of the caller, who can end each of them; 404 for sessions of other people', async () => {
  const phone = nextPhone();
  const [laptop, mobile, stranger] = [
    await signIn(api, phone),
    await signIn(api, phone),
    await createUser(api),
  ];
  const { body } = expectStatus(await api.get('/v1/auth/sessions', laptop.token), 200);
  assert.equal(body.data.length, 2);
  const current = body.data.find((session: { isCurrent: boolean }) => session.isCurrent);
  const otherSession = body.data.find((session: { isCurrent: boolean }) => !session.isCurrent);
  expectProblem(
    await api.delete(`/v1/auth/sessions/${otherSession.id}`, stranger.token),
    404,
    'session_not_found',
  );
  expectProblem(await api.delete('/v1/auth/sessions/not-an-id', laptop.token), 404, 'session_not_found');
  expectStatus(await api.delete(`/v1/auth/sessions/${otherSession.id}`, laptop.token), 200);
  await expectTokensInvalid(mobile);
  expectProblem(
    await api.delete(`/v1/auth/sessions/${otherSession.id}`, laptop.token),
    404,
    'session_not_found',
  );
  expectStatus(await api.delete(`/v1/auth/sessions/${current.id}`, laptop.token), 200);
  await expectTokensInvalid(laptop);
});

const ends: [string, (person: Person) => Promise<unknown>][] = [
  ['logout', (person) => api.post('/v1/auth/logout', person.token)],
  ['refresh', (person) => refresh(person.refreshToken)],
  ['account deletion', (person) => deleteAccount(api, person)],
  [
    'the end of the session from another session',
    async (person) => {
      const { token } = await signIn(api, person.phone);
      const { data } = expectStatus(await api.get('/v1/auth/sessions', token), 200).body;
      for (const { id, isCurrent } of data)
        if (!isCurrent) expectStatus(await api.delete(`/v1/auth/sessions/${id}`, token), 200);
    },
  ],
];
for (const [name, end] of ends)
  test(`tokens: 401 for reads and writes on another server that has cached the token, after ${name}`, async () => {
    const organizer = await createUser(api);
    const event = await createEvent(api, organizer);
    const item = await createItem(api, organizer, event.id);
    const calls = [
      ({ token }: Person) => otherServer.get(`/v1/events/${event.id}`, token),
      ({ token }: Person) => otherServer.post(`/v1/events/${event.id}/rsvp`, token, { status: 'interested' }),
      ({ token }: Person) => otherServer.post(`/v1/items/${item.id}/claim`, token, { quantity: 1 }),
      ({ token }: Person) => otherServer.patch(`/v1/items/${item.id}/claim`, token, { quantity: 2 }),
      ({ token }: Person) => otherServer.delete(`/v1/items/${item.id}/claim`, token),
      ({ token }: Person) => otherServer.post(`/v1/events/${event.id}/save`, token, { saved: true }),
    ];
    for (const call of calls) {
      const person = await createUser(api);
      await rsvpGoing(otherServer, person, event.id);
      assert.ok(await isValid(person.token));
      await end(person);
      expectProblem(await call(person), 401, 'token_invalid');
    }
  });

test('roles: 404 for private events on another server after the admin role is revoked, for reads and writes', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer, { visibility: 'private' });
  const item = await createItem(api, organizer, event.id);
  const calls = [
    ({ token }: Person) => otherServer.get(`/v1/events/${event.id}`, token),
    ({ token }: Person) => otherServer.post(`/v1/events/${event.id}/rsvp`, token, { status: 'interested' }),
    ({ token }: Person) => otherServer.post(`/v1/items/${item.id}/claim`, token, { quantity: 1 }),
  ];
  for (const call of calls) {
    const admin = await createAdmin(api);
    await rsvpGoing(otherServer, admin, event.id);
    await transaction(api.sql, (tx) => setRole(tx, admin.id, 'user'));
    assert.equal((await call(admin)).status, 404);
  }
});

test('sessions: loads of one to three of 5,000 sessions share one plan', {
  skip: skipsOnCitus('Citus plans a statement for its values.'),
}, async () => {
  const another = await startTestApp();
  const person = await createUser(another);
  // PostgreSQL shows the plans of a connection to that connection only.
  const sql = connectSql(another.sql.target, 1);
  const copies = await sql<{ id: string }[]>`
    insert into users select (jsonb_populate_record(u, jsonb_build_object('id', gen_random_uuid()))).*
    from users u, generate_series(1, 5000) where u.id = ${person.id} returning id`;
  const sessions = await sql<{ userId: string; sessionId: string }[]>`
    insert into sessions select (jsonb_populate_record(s, jsonb_build_object('user_id', c.id))).*
    from sessions s, unnest(${copies.map(({ id }) => id)}::uuid[]) c (id) where s.user_id = ${person.id}
    returning user_id, id as session_id`;
  await sql.text('analyze users, sessions');
  for (let n = 0; n < 12; n++) {
    const keys = sessions.slice(0, 1 + (n % 3)).map(sessionKey);
    assert.equal((await listLiveSessions(sql, keys)).length, keys.length);
  }
  const [plans] = await sql<{ custom: number; generic: number }[]>`
    select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
    where statement like '%join sessions s on%'`;
  await sql.end();
  // Of a prepared statement, PostgreSQL always plans the first five calls for their values.
  assert.deepEqual(plans, { custom: 5, generic: 7 });
});
