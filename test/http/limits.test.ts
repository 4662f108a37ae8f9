/** RATE_LIMIT: the requests that count, the response headers, and the limit across several servers. */
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteExpiredCounts } from '../../src/http/rate-limit.ts';
import { sampleOf } from '../support/all-cases.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp, TestClock } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
const withLimit = (limit: number, clock = api.clock) =>
  api.startAnother({ clock, env: { RATE_LIMIT: `${limit}`, TRUST_PROXY: 'loopback' } });

const minuteMs = 60_000;
/** The time of a test that counts requests of one minute. */
const testMs = 5_000;

// The minutes are those of the database, which runs on this machine.
beforeEach(async () => {
  const left = minuteMs - (Date.now() % minuteMs);
  if (left < testMs) await sleep(left + 10);
});

/** Sends a request from an address, whose requests are counted together. Each test has addresses of its own. */
const from = (server: TestApp, address: string, path = '/v1/categories', token?: string) =>
  server.call('GET', path, { token, headers: { 'x-forwarded-for': address } });

// spec: 8 POST /v1/auth/otp/request: rate limits
test('limit: 429 with Retry-After above RATE_LIMIT requests per minute over all operations; /healthz is exempt', async () => {
  const limited = await withLimit(3);
  const send = (path: string, token?: string) => from(limited, '203.0.113.11', path, token);
  for (const path of ['/v1/events', '/', '/v1/categories']) assert.notEqual((await send(path)).status, 429);
  for (const path of ['/v1/events', '/v1/templates']) {
    const { headers } = expectProblem(await send(path), 429, 'too_many_requests');
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, `${wait}`);
  }
  // The limit also applies to requests with an invalid token or an unknown route.
  expectProblem(await send('/v1/events', 'pa_no-token'), 429, 'too_many_requests');
  expectProblem(await send('/v1/nothing'), 429, 'too_many_requests');
  expectStatus(await send('/healthz'), 200);
});

test('limit: responses with 401 and 404 count towards the limit', async () => {
  const limited = await withLimit(4);
  const send = (path: string, token?: string) => from(limited, '203.0.113.12', path, token);
  for (const token of ['pa_1', 'pa_2']) expectProblem(await send('/v1/events', token), 401, 'token_invalid');
  for (const path of ['/v1/nothing', '/nowhere']) expectProblem(await send(path), 404, 'route_not_found');
  expectProblem(await send('/v1/categories'), 429, 'too_many_requests');
});

test('limit: RateLimit headers have the remaining requests and the seconds to the next minute; 200 in that minute', async (t) => {
  const limited = await withLimit(2);
  const send = () => from(limited, '203.0.113.13');
  for (const remaining of ['1', '0']) {
    const left = Math.ceil((minuteMs - (Date.now() % minuteMs)) / 1_000);
    const { headers } = expectStatus(await send(), 200);
    assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['2', remaining]);
    const reset = Number(headers.get('ratelimit-reset'));
    assert.ok(reset === left || reset === left - 1, `${reset} s, not ${left} s`);
    assert.equal(headers.get('ratelimit-policy'), '"default";q=2;w=60');
    assert.equal(headers.get('ratelimit'), `"default";r=${remaining};t=${reset}`);
  }
  const { headers } = expectProblem(await send(), 429, 'too_many_requests');
  assert.deepEqual([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')], ['2', '0']);
  const uptime = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => uptime() + minuteMs);
  expectStatus(await send(), 200);
});

test('limit: of 300 concurrent requests to one server with RATE_LIMIT=100 exactly 100 get 200', async () => {
  const limited = await withLimit(100);
  const responses = await Promise.all(Array.from({ length: 300 }, () => from(limited, '203.0.113.7')));
  assert.equal(responses.filter(({ status }) => status === 200).length, 100);
});

// spec: 8 POST /v1/auth/otp/request: rate limits
test('limit: of 300 concurrent requests to two servers with RATE_LIMIT=100 between 100 and 110 get 200, also if their clocks differ by 90 s', async () => {
  const ahead = new TestClock();
  ahead.advance(90_000);
  const [one, two] = await Promise.all([withLimit(100), withLimit(100, ahead)]);
  // The first report of a server sets its clock.
  for (const server of [one, two]) for (let i = 0; i < 10; i++) await from(server, '203.0.113.200');
  for (const round of sampleOf([1, 2, 3], 3)) {
    const responses = await Promise.all(
      Array.from({ length: 300 }, (_, i) => from(i % 2 ? one : two, `203.0.113.${round}`)),
    );
    const passed = responses.filter(({ status }) => status === 200).length;
    assert.ok(passed >= 100 && passed <= 110, `${passed}`);
    // Each server also counts the requests that the other server accepted.
    const laterResponses = await Promise.all(
      Array.from({ length: 20 }, () => from(round % 2 ? one : two, `203.0.113.${round}`)),
    );
    const total = passed + laterResponses.filter(({ status }) => status === 200).length;
    assert.ok(total <= 110, `${total}`);
  }
});

test('limit: 429 on the second server for a caller that has reached the limit on the first server', async () => {
  const [one, two] = await Promise.all([withLimit(40), withLimit(40)]);
  for (let i = 0; i < 40; i++) expectStatus(await from(one, '198.51.100.9'), 200);
  expectProblem(await from(one, '198.51.100.9'), 429, 'too_many_requests');
  const statuses = [];
  for (let i = 0; i < 10; i++) statuses.push((await from(two, '198.51.100.9')).status);
  const passed = statuses.filter((status) => status === 200).length;
  assert.ok(passed <= 2, `${passed} requests passed`);
  assert.deepEqual(statuses.slice(passed), Array(10 - passed).fill(429));
});

test('limit: 100 concurrent refusals of one address take at least 0.2 s; another address gets 200 meanwhile', async () => {
  const limited = await withLimit(5);
  for (let i = 0; i < 5; i++) await from(limited, '203.0.113.14');
  const since = performance.now();
  const refused = Promise.all(Array.from({ length: 100 }, () => from(limited, '203.0.113.14')));
  const first = await Promise.race([
    refused.then(() => 'refusals'),
    from(limited, '203.0.113.15').then(({ status }) => status),
  ]);
  assert.equal(first, 200);
  for (const response of await refused) expectProblem(response, 429, 'too_many_requests');
  assert.ok(performance.now() - since >= 200);
});

test('limit: addresses of one IPv6 network share one limit; another network has its own limit', async () => {
  const limited = await withLimit(2);
  for (const address of ['2001:db8:1:1::1', '2001:db8:1:1:ffff::2'])
    expectStatus(await from(limited, address), 200);
  expectProblem(await from(limited, '2001:db8:1:1::3'), 429, 'too_many_requests');
  expectStatus(await from(limited, '2001:db8:1:2::1'), 200);
});

test('limit: 429 above twice the limit in an IPv6 /56 and four times in a /48; refused requests use up nothing of another network', async () => {
  const limited = await withLimit(2);
  const passed = async (networks: string[]) => {
    let count = 0;
    for (const network of networks)
      for (let i = 1; i <= 4; i++)
        if ((await from(limited, `2001:db8:${network}::${i}`)).status === 200) count++;
    return count;
  };
  assert.equal(await passed(['2:101', '2:102', '2:103', '2:1ff']), 4);
  assert.equal(await passed(['2:200', '2:300', '2:400', '2:ffff']), 4);
  assert.equal(await passed(['3:101']), 2);
});

test('limit: 9 of 400 requests write no row to request_counts; more requests write a row without the address', async () => {
  const limited = await withLimit(400);
  const readCounts = () => api.sql<{ caller: string; requests: number }[]>`
    select caller, requests from request_counts where minute = date_trunc('minute', now())`;
  const before = await readCounts();
  for (let i = 0; i < 9; i++) await from(limited, '192.0.2.77');
  assert.equal((await readCounts()).length, before.length);
  await Promise.all(Array.from({ length: 60 }, () => from(limited, '192.0.2.77')));
  const [row, ...others] = (await readCounts()).filter(
    ({ caller }) => !before.some((each) => each.caller === caller),
  );
  assert.ok(row && others.length === 0 && row.requests > 20 && !row.caller.includes('192.0.2'));
});

test('limit: without a database a server counts its own requests', async () => {
  const disconnected = await api.startAnother({
    env: { RATE_LIMIT: '20', TRUST_PROXY: 'loopback' },
    sql: connectSql('postgres://reader@127.0.0.1:1/none'),
  });
  const statuses = [];
  for (let i = 0; i < 30; i++) statuses.push((await from(disconnected, '192.0.2.5')).status);
  assert.deepEqual(statuses, [...Array(20).fill(200), ...Array(10).fill(429)]);
});

test('housekeeping: deletes the request counts of past minutes and keeps the counts of the current minute', async () => {
  await api.sql`delete from request_counts`;
  await api.sql`
    insert into request_counts (caller, minute, requests)
    values ('a', date_trunc('minute', now()), 1), ('a', date_trunc('minute', now()) - interval '5 minutes', 1)`;
  await deleteExpiredCounts(api.sql);
  assert.equal((await api.sql`select 1 from request_counts`).length, 1);
});

test('limit: static files do not count: the icon, robots.txt and the script of the API reference', async () => {
  const limited = await withLimit(1);
  expectStatus(await from(limited, '198.51.100.20'), 200);
  expectProblem(await from(limited, '198.51.100.20'), 429, 'too_many_requests');
  for (const path of ['/favicon.ico', '/robots.txt', '/docs/js/scalar.js'])
    expectStatus(await from(limited, '198.51.100.20', path), 200);
  for (const path of ['/', '/docs/', '/openapi.json', '/favicon.ico/x'])
    expectProblem(await from(limited, '198.51.100.20', path), 429, 'too_many_requests');
});

test('limit: a request inside the process counts for the address that its page hands on, and for no other', async () => {
  const limited = await withLimit(2);
  const visitor = '203.0.113.50';
  const inject = () =>
    limited.app.inject({
      url: '/v1/categories',
      remoteAddress: visitor,
      // The headers of a visitor who claims to be someone else.
      headers: { 'x-forwarded-for': '203.0.113.51' },
    });
  for (const status of [200, 200, 429]) assert.equal((await inject()).statusCode, status);
  expectProblem(await from(limited, visitor), 429, 'too_many_requests');
  for (const address of ['203.0.113.51', '127.0.0.1']) expectStatus(await from(limited, address), 200);
});
