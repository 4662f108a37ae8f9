/** Headers of every response, whichever part of the server produces it. */
import assert from 'node:assert/strict';
import net from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEvent, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const me = await createUser(api);
const port = Number(new URL(api.url).port);
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

type Response = { status: number; headers: Headers; text: string };

/** Writes bytes to a new connection and reads until the server closes it. */
function exchange(bytes: string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    socket.on('error', reject);
    socket.setTimeout(10_000, () => socket.destroy(new Error('the connection was left open')));
    socket.on('close', () => {
      const [head = '', ...text] = received.split('\r\n\r\n');
      const [line = '', ...fields] = head.split('\r\n');
      const headers = new Headers(
        fields.map((field) => [
          field.slice(0, field.indexOf(':')),
          field.slice(field.indexOf(':') + 1).trim(),
        ]),
      );
      resolve({ status: Number(line.split(' ')[1]), headers, text: text.join('\r\n\r\n') });
    });
  });
}

const get = (target: string, fields = '') =>
  exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\n${fields}Connection: close\r\n\r\n`);

function expectComplete(headers: Pick<Headers, 'get'>, request: string): void {
  const names = [
    'cache-control',
    'content-security-policy',
    'x-content-type-options',
    'x-frame-options',
    'access-control-allow-origin',
  ];
  assert.deepEqual(
    names.map((name) => headers.get(name)),
    ['no-store', "default-src 'none';frame-ancestors 'none'", 'nosniff', 'DENY', '*'],
    request,
  );
  assert.ok(headers.get('strict-transport-security') && headers.get('referrer-policy'), request);
  assert.match(headers.get('access-control-expose-headers') ?? '', /\bX-Request-Id\b/, request);
  assert.ok(headers.get('x-request-id'), request);
}

test('headers: complete on /v1 with every percent-encoding of the path', async () => {
  const token = `Authorization: Bearer ${me.token}\r\n`;
  for (const [target, fields, status] of [
    ['/v1/auth/me', token, 200],
    ['/%761/auth/me', token, 200],
    ['/v%31/auth/me', token, 200],
    ['/v%31/auth/me?x', token, 400],
    ['http://x/v1/auth/me', token, 200],
    ['/%761/auth/me', '', 401],
    ['/%761/nothing', '', 404],
    ['/v1', '', 404],
    ['/nothing', '', 404],
    ['//v1/auth/me', token, 404],
    ['/healthz', '', 200],
    ['/readyz', '', 200],
  ] as const) {
    const { status: actual, headers } = await get(target, fields);
    assert.equal(actual, status, target);
    expectComplete(headers, target);
  }
});

test('headers: complete on responses to bytes that are not an HTTP request', async () => {
  const post = 'POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  for (const [bytes, status] of [
    ['hello\r\n\r\n', 400],
    [`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ] as const) {
    const { status: actual, headers, text } = await exchange(bytes);
    assert.equal(actual, status, bytes.slice(0, 60));
    expectComplete(headers, bytes.slice(0, 60));
    assert.equal(JSON.parse(text).requestId, headers.get('x-request-id'));
    assert.match(headers.get('x-request-id') ?? '', uuid);
  }
});

test('headers: a page has a request id; the 405 of its path has complete headers', async () => {
  const { headers } = expectStatus(await api.get('/docs/errors'), 200);
  assert.match(headers.get('x-request-id') ?? '', uuid);
  const refused = expectProblem(await api.call('POST', '/docs/errors'), 405, 'method_not_allowed');
  expectComplete(refused.headers, 'POST /docs/errors');
});

test('request id: generated, different each time, and equal to the requestId of a problem', async () => {
  const ids = new Set<string>();
  for (const path of [
    '/v1/categories',
    '/docs/errors',
    '/v1/auth/me',
    '/nothing',
    '/v1/events?page=0',
    '/docs/',
  ]) {
    const { headers, body } = await api.get(path);
    const id = headers.get('x-request-id') ?? '';
    assert.match(id, uuid, path);
    if (body.requestId !== undefined) assert.equal(body.requestId, id, path);
    ids.add(id);
  }
  assert.equal(ids.size, 6);
});

test('request id: equal to X-Request-Id with 1 to 64 letters, digits, points, hyphens and underscores, else generated', async () => {
  const send = (id: string, path = '/v1/auth/me') =>
    api.call('GET', path, { headers: { 'x-request-id': id } });
  for (const id of ['a', 'A-b_c.9', 'x'.repeat(64)]) {
    const { headers, body } = await send(id);
    assert.deepEqual([headers.get('x-request-id'), body.requestId], [id, id]);
    assert.equal((await send(id, '/v1/categories')).headers.get('x-request-id'), id);
  }
  for (const id of ['', 'x'.repeat(65), 'a b', 'a,b', 'a/b', '<script>', '\u00e9', '"a"', 'a:b']) {
    const { headers, body } = await send(id);
    assert.match(headers.get('x-request-id') ?? '', uuid, id);
    assert.equal(body.requestId, headers.get('x-request-id'));
  }
});

test('request id: present on preflight responses and live streams', async () => {
  const event = await createEvent(api, me);
  const stream = expectStatus(await api.get(`/v1/events/${event.id}/live`), 200);
  assert.match(stream.headers.get('x-request-id') ?? '', uuid);
  const headers = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' };
  const preflight = expectStatus(await api.call('OPTIONS', '/v1/me', { headers }), 204);
  assert.match(preflight.headers.get('x-request-id') ?? '', uuid);
});

// This test runs last: for some seconds the server still counts the aborted requests as running.
test('headers: complete on the 503 of an overloaded server, and healthz stays 200', async () => {
  const body =
    'POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
  const sockets = Array.from({ length: 800 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
  try {
    for (const socket of sockets) socket.write(body);
    let refused = await get('/v1/categories', 'X-Request-Id: overload-1\r\n');
    for (let tries = 0; refused.status !== 503 && tries < 100; tries++) {
      await sleep(20);
      refused = await get('/v1/categories', 'X-Request-Id: overload-1\r\n');
    }
    assert.equal(refused.status, 503);
    expectComplete(refused.headers, 'overload');
    assert.deepEqual(
      [refused.headers.get('x-request-id'), JSON.parse(refused.text).requestId],
      ['overload-1', 'overload-1'],
    );
    assert.equal((await get('/healthz')).status, 200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
