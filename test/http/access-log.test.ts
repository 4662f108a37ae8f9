/** LOG_REQUESTS=on: the fields of a log line, and the secrets that no log line contains. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import net from 'node:net';
import test, { mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent, createUser, nextPhone, signInBrowser } from '../support/factories.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

type Line = Record<string, unknown> & { path: string; msg: string };

function collectLogLines({ app }: TestApp): Line[] {
  const lines: Line[] = [];
  mock.method(app.log, 'info', (fields: object, msg: string) => {
    if (msg === 'request') lines.push({ ...fields, msg } as Line);
  });
  return lines;
}

const api = await startTestApp({ env: { LOG_REQUESTS: 'on', TRUST_PROXY: 'loopback', DEV_CODES: 'on' } });
const lines = collectLogLines(api);
const person = await createUser(api);
const event = await createEvent(api, person);

/** Returns the log line of the request that `send` sends. */
async function logLineOf(send: () => Promise<unknown>): Promise<Line> {
  lines.length = 0;
  await send();
  while (lines.length === 0) await sleep(10);
  assert.equal(lines.length, 1);
  return lines[0] as Line;
}

test('access log: a line has method, path without query string, status, duration, request id and address', async () => {
  const headers = { 'x-request-id': 'abc-1', 'x-forwarded-for': '203.0.113.9' };
  const { ms, ...line } = await logLineOf(() =>
    api.call('GET', `/v1/events/${event.id}?secretquery=1`, { headers, token: person.token }),
  );
  assert.ok(typeof ms === 'number' && ms >= 0);
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

test('access log: error responses, unknown paths and live streams have a line', async () => {
  for (const [method, path, status] of [
    ['GET', '/v1/auth/me', 401],
    ['GET', '/v1/no/such/path', 404],
    ['PUT', '/v1/events', 405],
    ['OPTIONS', '/v1/events', 204],
    ['GET', `/v1/events/${event.id}/live`, 200],
    ['GET', `/v1/events/${event.id}/cover.svg`, 200],
  ] as const) {
    const line = await logLineOf(() => api.call(method, path));
    assert.deepEqual([line.method, line.path, line.status], [method, path, status]);
  }
});

test('access log: a request that the client aborts has a line with aborted', async () => {
  const line = await logLineOf(async () => {
    const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write('POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 90\r\n\r\n{');
    await sleep(100);
    socket.destroy();
  });
  assert.deepEqual([line.path, line.aborted], ['/v1/auth/refresh', true]);
});

test('access log: no line contains a phone number, a code, a token or the secret of a calendar', async () => {
  const { url } = expectStatus(await api.post('/v1/me/calendar', person.token), 201).body;
  const secret = /calendars\/(.+)\.ics/.exec(url)?.[1] ?? '';
  assert.ok(secret.length > 20);
  const cookie = await signInBrowser(api, nextPhone());
  const browserToken = cookie.split('=')[1] ?? '';
  lines.length = 0;
  const paths = [
    `/v1/calendars/${secret}.ics`,
    `/v1/%63alendars/${secret}.ics`,
    `/v1/calendars/${secret}`,
    `//v1/calendars/${secret}.ics`,
    `/v1/calendar/${secret}.ics`,
    `/${secret}`,
    `/v1/events?search=${person.phone}`,
    `/v1/users/${encodeURIComponent(person.phone)}`,
    `/v1/users/${person.phone.slice(1)}`,
    `/v1/users/+1 (415) ${person.phone.slice(-7)}`,
    '/v1/auth/otp/123456',
    `/v1/auth/sessions/${person.token}`,
    `/${person.token}`,
    `/v1/auth/sessions/${person.refreshToken}`,
    `/v1/auth/browser-session/${browserToken}`,
    `/v1/events?cookie=${browserToken}`,
  ];
  const headers = { authorization: `Bearer ${person.token}`, cookie };
  for (const path of paths) await fetch(api.url + path, { headers });
  while (lines.length < paths.length) await sleep(10);
  assert.equal(lines.length, paths.length);
  assert.equal(lines[0]?.path, '/v1/calendars/:secret.ics');
  const text = JSON.stringify(lines);
  for (const secretText of [
    secret,
    person.token,
    person.refreshToken,
    browserToken,
    person.phone.slice(1),
    person.phone.slice(-7),
    '123456',
  ])
    assert.ok(!text.includes(secretText), `${secretText} in ${text}`);
});

test('access log: no lines without LOG_REQUESTS=on', async () => {
  const quiet = await api.startAnother({ env: {} });
  const quietLines = collectLogLines(quiet);
  expectStatus(await quiet.get(`/v1/events/${randomUUID()}/cover.svg`), 200);
  await sleep(100);
  assert.deepEqual(quietLines, []);
});
