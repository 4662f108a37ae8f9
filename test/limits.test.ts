/** RATE_LIMIT: what counts, what callers are told, and that it holds over several servers. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteExpiredCounts } from '../src/http/rate-limit-store.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp, TestClock } from './setup.ts';
import { connectSql } from './sql-tag.ts';

const clock = new TestClock();
const api = await startTestApp({ clock, env: { TRUST_PROXY: 'loopback' } });
const withLimit = (limit: number) =>
  api.another({ env: { RATE_LIMIT: `${limit}`, TRUST_PROXY: 'loopback' } });

/** A minute that has just begun, and that nobody has asked anything in. */
function nextMinute(): void {
  clock.advance(60_000 - (clock.now().getTime() % 60_000) + 100);
}

const from = (on: TestApp, address: string, path = '/v1/categories') =>
  on.call('GET', path, { headers: { 'x-forwarded-for': address } });

// spec: 8 POST /v1/auth/otp/request: rate limits
test('limit: 429 with Retry-After above RATE_LIMIT requests a minute, over all operations but those of monitors', async () => {
  const limited = await withLimit(3);
  nextMinute();
  for (const path of ['/v1/events', '/', '/v1/categories'])
    assert.notEqual((await limited.get(path)).status, 429);
  for (const path of ['/v1/events', '/v1/templates']) {
    const { headers } = expectProblem(await limited.get(path), 429, 'too_many_requests');
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, `${wait}`);
  }
  // What is refused or does not exist counts as well: each costs a look-up.
  expectProblem(await limited.get('/v1/events', 'pa_no-token'), 429, 'too_many_requests');
  expectProblem(await limited.get('/v1/nothing'), 429, 'too_many_requests');
  expectStatus(await limited.get('/healthz'), 200);
});

test('limit: refusals use it up as well', async () => {
  const limited = await withLimit(4);
  nextMinute();
  for (const token of ['pa_1', 'pa_2'])
    expectProblem(await limited.get('/v1/events', token), 401, 'token_invalid');
  for (const path of ['/v1/nothing', '/nowhere'])
    expectProblem(await limited.get(path), 404, 'route_not_found');
  expectProblem(await limited.get('/v1/categories'), 429, 'too_many_requests');
});

test('limit: answers say what is left and when the next minute begins, which is a fresh one', async () => {
  const limited = await withLimit(2);
  nextMinute();
  for (const left of ['1', '0']) {
    const { headers } = expectStatus(await limited.get('/v1/categories'), 200);
    assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['2', left]);
    const reset = Number(headers.get('ratelimit-reset'));
    assert.ok(reset > 50 && reset <= 60, `${reset}`);
  }
  const { headers } = expectProblem(await limited.get('/v1/categories'), 429, 'too_many_requests');
  assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['2', '0']);
  nextMinute();
  expectStatus(await limited.get('/v1/categories'), 200);
});

test('limit: one server keeps it to the request, however many come at once', async () => {
  const limited = await withLimit(100);
  nextMinute();
  const answers = await Promise.all(Array.from({ length: 300 }, () => from(limited, '203.0.113.7')));
  assert.equal(answers.filter(({ status }) => status === 200).length, 100);
});

// spec: 8 POST /v1/auth/otp/request: rate limits
test('limit: two servers let through what one may, and at most a twentieth of it each on top', async () => {
  const [one, two] = await Promise.all([withLimit(100), withLimit(100)]);
  for (const round of [1, 2, 3]) {
    nextMinute();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => from(i % 2 ? one : two, `203.0.113.${round}`)),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    assert.ok(passed >= 100 && passed <= 110, `${passed}`);
    // What one server let through the other knows of.
    const after = await Promise.all(
      Array.from({ length: 20 }, () => from(round % 2 ? one : two, `203.0.113.${round}`)),
    );
    const all = passed + after.filter(({ status }) => status === 200).length;
    assert.ok(all <= 110, `${all}`);
  }
});

test('limit: a caller who was refused by one server is refused by the other', async () => {
  const [one, two] = await Promise.all([withLimit(40), withLimit(40)]);
  nextMinute();
  for (let i = 0; i < 40; i++) expectStatus(await from(one, '198.51.100.9'), 200);
  expectProblem(await from(one, '198.51.100.9'), 429, 'too_many_requests');
  const answers = [];
  for (let i = 0; i < 10; i++) answers.push((await from(two, '198.51.100.9')).status);
  const passed = answers.filter((status) => status === 200).length;
  assert.ok(passed <= 2, `${passed} of them passed`);
  assert.deepEqual(answers.slice(passed), Array(10 - passed).fill(429));
});

test('limit: addresses of one IPv6 network are one caller, others are not', async () => {
  const limited = await withLimit(2);
  nextMinute();
  for (const address of ['2001:db8:1:1::1', '2001:db8:1:1:ffff::2'])
    expectStatus(await from(limited, address), 200);
  expectProblem(await from(limited, '2001:db8:1:1::3'), 429, 'too_many_requests');
  expectStatus(await from(limited, '2001:db8:1:2::1'), 200);
});

test('limit: who asks seldom costs the database nothing, and no address is to be read there', async () => {
  const limited = await withLimit(400);
  nextMinute();
  const counted = () => api.sql<{ caller: string; requests: number }[]>`
    select caller, requests from request_counts where minute = date_trunc('minute', ${clock.now()}::timestamptz)`;
  for (let i = 0; i < 9; i++) await from(limited, '192.0.2.77');
  assert.deepEqual([...(await counted())], []);
  await Promise.all(Array.from({ length: 60 }, () => from(limited, '192.0.2.77')));
  const [row] = await counted();
  assert.ok(row && row.requests > 20 && !row.caller.includes('192.0.2'));
});

test('limit: without a database each server counts for itself, and nobody waits long', async () => {
  const away = await api.another({
    env: { RATE_LIMIT: '20', TRUST_PROXY: 'loopback' },
    sql: connectSql('postgres://nobody@127.0.0.1:1/none'),
  });
  nextMinute();
  const since = performance.now();
  const answers = [];
  for (let i = 0; i < 30; i++) answers.push((await from(away, '192.0.2.5')).status);
  assert.deepEqual(answers, [...Array(20).fill(200), ...Array(10).fill(429)]);
  assert.ok(performance.now() - since < 3_000);
});

test('housekeeping: removes the counts of minutes that are over, and not those of this one', async () => {
  await api.sql`delete from request_counts`;
  await api.sql`
    insert into request_counts (caller, minute, requests)
    values ('a', date_trunc('minute', ${clock.now()}::timestamptz), 1),
      ('a', date_trunc('minute', ${clock.now()}::timestamptz) - interval '5 minutes', 1)`;
  await deleteExpiredCounts(api.sql, clock.now());
  assert.equal((await api.sql`select 1 from request_counts`).length, 1);
});
