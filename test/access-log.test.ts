/** LOG_REQUESTS=on: what a line says, and what no line holds. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import net from 'node:net';
import test, { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent, createUser } from './factories.ts';
import { expectStatus, startTestApp, type TestApp } from './setup.ts';

type Line = Record<string, unknown> & { path: string; msg: string };

function watchLog({ app }: TestApp): Line[] {
  const lines: Line[] = [];
  mock.method(app.log, 'info', (fields: object, msg: string) => {
    if (msg === 'request') lines.push({ ...fields, msg } as Line);
  });
  return lines;
}

const api = await startTestApp({ env: { LOG_REQUESTS: 'on', TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });
const lines = watchLog(api);
const me = await createUser(api);
const event = await createEvent(api, me);

/** The line of the request that `send` makes. */
async function lineOf(send: () => Promise<unknown>): Promise<Line> {
  lines.length = 0;
  await send();
  for (let waited = 0; lines.length === 0 && waited < 2_000; waited += 10) await sleep(10);
  assert.equal(lines.length, 1);
  return lines[0] as Line;
}

test('access log: method, path without query string, status, duration, request id and address', async () => {
  const headers = { 'x-request-id': 'abc-1', 'x-forwarded-for': '203.0.113.9' };
  const { ms, ...line } = await lineOf(() =>
    api.call('GET', `/v1/events/${event.id}?secretquery=1`, { headers, token: me.token }),
  );
  assert.ok(typeof ms === 'number' && ms >= 0 && ms < 5_000);
  const { status } = line;
  assert.ok(status === 200 || status === 400);
  assert.deepEqual(line, {
    reqId: 'abc-1',
    method: 'GET',
    path: `/v1/events/${event.id}`,
    status,
    address: '203.0.113.9',
    msg: 'request',
  });
});

test('access log: refusals, unknown paths and live streams too', async () => {
  for (const [method, path, status] of [
    ['GET', '/v1/auth/me', 401],
    ['GET', '/v1/no/such/path', 404],
    ['PUT', '/v1/events', 405],
    ['OPTIONS', '/v1/events', 204],
    ['GET', `/v1/events/${event.id}/live`, 200],
    ['GET', `/v1/events/${event.id}/cover.svg`, 200],
  ] as const) {
    const line = await lineOf(() => api.call(method, path));
    assert.deepEqual([line.method, line.path, line.status], [method, path, status]);
  }
});

test('access log: a request that the client gives up has its line', async () => {
  const line = await lineOf(async () => {
    const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write('POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 90\r\n\r\n{');
    await sleep(100);
    socket.destroy();
  });
  assert.deepEqual([line.path, line.aborted], ['/v1/auth/refresh', true]);
});

test('access log: no line holds a phone, a code, a token or the secret of a calendar', async () => {
  const { url } = expectStatus(await api.post('/v1/me/calendar', me.token), 201).body;
  const secret = /calendars\/(.+)\.ics/.exec(url)?.[1] ?? '';
  assert.ok(secret.length > 20);
  lines.length = 0;
  const paths = [
    `/v1/calendars/${secret}.ics`,
    `/v1/%63alendars/${secret}.ics`,
    `/v1/calendars/${secret}`,
    `//v1/calendars/${secret}.ics`,
    `/v1/calendar/${secret}.ics`,
    `/${secret}`,
    `/v1/events?search=${me.phone}`,
    `/v1/users/${encodeURIComponent(me.phone)}`,
    `/v1/users/${me.phone.slice(1)}`,
    `/v1/users/+1 (415) ${me.phone.slice(-7)}`,
    '/v1/auth/otp/123456',
    `/v1/auth/sessions/${me.token}`,
    `/${me.token}`,
    `/v1/auth/sessions/${me.refreshToken}`,
  ];
  const headers = { authorization: `Bearer ${me.token}` };
  for (const path of paths) await fetch(api.url + path, { headers });
  for (let waited = 0; lines.length < paths.length && waited < 2_000; waited += 10) await sleep(10);
  assert.equal(lines.length, paths.length);
  assert.equal(lines[0]?.path, '/v1/calendars/:secret.ics');
  const text = JSON.stringify(lines);
  for (const each of [secret, me.token, me.refreshToken, me.phone.slice(1), me.phone.slice(-7), '123456'])
    assert.ok(!text.includes(each), `${each} in ${text}`);
});

test('access log: off unless it is switched on', async () => {
  const quiet = await api.another({ env: {} });
  const none = watchLog(quiet);
  expectStatus(await quiet.get(`/v1/events/${randomUUID()}/cover.svg`), 200);
  await sleep(100);
  assert.deepEqual(none, []);
});
