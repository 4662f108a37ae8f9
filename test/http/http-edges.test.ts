/** Handling of requests outside the endpoints: unknown paths, wrong methods, headers, and malformed HTTP. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import net from 'node:net';
import test from 'node:test';
import Fastify from 'fastify';
import { registerAuthentication } from '../../src/http/authenticate.ts';
import { catalogue } from '../../src/lib/problem-catalogue.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const person = await createUser(api);
const event = await createEvent(api, person);
const unsupportedBody = { raw: '<x/>', headers: { 'content-type': 'text/xml' } };

type RawResponse = { status: number; headers: Record<string, string>; text: string };

/** Writes bytes to a new connection and reads until the server closes it. */
function sendRaw(bytes: string | Buffer): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1', () => socket.write(bytes));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.setTimeout(5_000, () => socket.destroy(new Error('the connection was left open')));
    socket.on('close', () => {
      const [head = '', text = ''] = received.split('\r\n\r\n');
      const [line = '', ...lines] = head.split('\r\n');
      const headers = lines.map((header) => [
        header.split(':', 1)[0]?.toLowerCase(),
        header.replace(/^[^:]*: */, ''),
      ]);
      resolve({ status: Number(line.split(' ')[1]), headers: Object.fromEntries(headers), text });
    });
  });
}

test('routes: a route below /v1 that declares no caller prevents the start of the server', () => {
  const app = Fastify();
  registerAuthentication(app, {
    config: { publicUrl: 'http://127.0.0.1' },
    db: api.sql,
    sessions: { find: async () => null, findCached: async () => null },
    clock: () => new Date(),
  });
  assert.throws(() => app.get('/v1/forgotten', () => 'secret'), /declares no caller/);
});

const getRaw = (path: string, headers: string) =>
  sendRaw(`GET ${path} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);

function expectRawProblem({ status, headers, text }: RawResponse, expected: number, code: string): void {
  assert.equal(status, expected, text);
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json/);
  const body = JSON.parse(text);
  assert.deepEqual(Object.keys(body).slice(0, 6), ['type', 'title', 'status', 'detail', 'code', 'requestId']);
  assert.deepEqual([body.status, body.code, body.type], [expected, code, `/docs/errors#${code}`]);
}

test('unknown path: 404 for any method, body and token', async () => {
  for (const path of [
    '/nothing',
    '/v1',
    '/v1/',
    '/v2/events',
    '/v1/Events',
    '//v1/events',
    '/healthz/x',
    `/${'x/'.repeat(4_000)}`,
  ]) {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'PROPFIND']) {
      expectProblem(await api.call(method, path), 404, 'route_not_found');
    }
    expectProblem(await api.call('POST', path, unsupportedBody), 404, 'route_not_found');
    expectProblem(
      await api.call('POST', path, { raw: '{', headers: { 'content-type': 'application/json' } }),
      404,
      'route_not_found',
    );
    expectProblem(await api.call('GET', path, { token: 'nonsense' }), 404, 'route_not_found');
  }
});

// spec: 7 GET /v1/events/:id: empty path parameter
test('empty parameter: 404 route_not_found as for an unknown path; it precedes errors of token, body and method', async () => {
  const { body: document } = await api.get('/openapi.json');
  // `/v1/uploads/.webp` is excluded: `.webp` is an id of DELETE /v1/uploads/{id}.
  const urls = Object.keys(document.paths).filter((url) => /\{\w+\}(\/|$)/.test(url));
  const unknown = await api.get('/v1/nothing');
  for (const url of ['/v1/events/?x=1', ...urls.map((url) => url.replace(/\{\w+\}/g, ''))]) {
    for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']) {
      const response = await api.call(method, url, { headers: { 'if-none-match': '*' } });
      expectProblem(response, 404, 'route_not_found');
      assert.equal(response.headers.get('allow'), null, `${method} ${url}`);
      assert.equal(response.body.detail, unknown.body.detail);
      expectProblem(await api.call(method, url, { token: 'nonsense' }), 404, 'route_not_found');
    }
    expectProblem(await api.call('POST', url, unsupportedBody), 404, 'route_not_found');
    for (const name of ['cache-control', 'content-security-policy', 'access-control-allow-origin'])
      assert.equal((await api.get(url)).headers.get(name), unknown.headers.get(name), `${url} ${name}`);
    assert.equal((await fetch(api.url + url, { method: 'HEAD' })).status, 404, url);
  }
  assert.ok(urls.length > 20, `${urls.length}`);
});

test('wrong method: 405 with Allow, for any body', async () => {
  for (const [method, path, allow] of [
    ['PUT', '/v1/events', 'GET, HEAD, POST'],
    ['DELETE', '/v1/events', 'GET, HEAD, POST'],
    ['POST', `/v1/events/${event.id}`, 'DELETE, GET, HEAD, PATCH'],
    ['PUT', `/v1/events/${'x'.repeat(500)}`, 'DELETE, GET, HEAD, PATCH'],
    ['GET', `/v1/users/${person.id}/follow`, 'DELETE, POST'],
    ['GET', '/v1/me', 'DELETE, PATCH'],
    ['POST', '/healthz?x=1', 'GET, HEAD'],
  ] as const) {
    const response = expectProblem(await api.call(method, path), 405, 'method_not_allowed');
    assert.equal(response.headers.get('allow')?.split(', ').sort().join(', '), allow, `${method} ${path}`);
    if (method !== 'GET')
      expectProblem(await api.call(method, path, unsupportedBody), 405, 'method_not_allowed');
  }
});

test('id: 404 with the code of the resource if the id is malformed', async () => {
  const ids = [
    '1',
    'null',
    '%00',
    '%zz',
    '%',
    '%ff',
    '%2e%2e%2f',
    "'",
    '%F0%9F%A5%98',
    'x'.repeat(8_000),
    `${event.id}x`,
    `${event.id}%20`,
    event.id.replaceAll('-', ''),
  ];
  for (const id of ids) {
    expectProblem(await api.get(`/v1/events/${id}`), 404, 'event_not_found');
    expectProblem(await api.get(`/v1/events/${id}/items?kind=bring`), 404, 'event_not_found');
    expectProblem(await api.get(`/v1/users/${id}`, person.token), 404, 'user_not_found');
    expectProblem(await api.post(`/v1/users/${id}/follow`, person.token), 404, 'user_not_found');
    expectProblem(await api.delete(`/v1/items/${id}/claim`, person.token), 404, 'item_not_found');
    expectProblem(await api.delete(`/v1/auth/sessions/${id}`, person.token), 404, 'session_not_found');
  }
  expectStatus(await api.get(`/v1/events/${event.id.toUpperCase()}`), 200);
});

test('id: 401 precedes 404', async () => {
  expectProblem(await api.post('/v1/users/%zz/follow'), 401, 'token_missing');
  expectProblem(await api.get('/v1/events/%zz', 'nonsense'), 401, 'token_invalid');
});

test('HEAD: the status and headers of GET, without a body', async () => {
  for (const [path, status] of [
    ['/v1/events', 200],
    [`/v1/events/${event.id}`, 200],
    ['/v1/events/nothing', 404],
    ['/v1/auth/me', 401],
    ['/nothing', 404],
    ['/v1/me', 405],
  ] as const) {
    const response = await fetch(api.url + path, { method: 'HEAD' });
    assert.deepEqual([response.status, await response.text()], [status, ''], path);
    assert.match(response.headers.get('content-type') ?? '', /json/);
  }
});

test('preflight: 204 that allows every method and the requested headers', async () => {
  for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    };
    const response = expectStatus(await api.call('OPTIONS', '/v1/me', { headers }), 204);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.ok(response.headers.get('access-control-allow-methods')?.split(', ').includes(method), method);
    assert.equal(response.headers.get('access-control-allow-headers'), 'authorization,content-type');
  }
  expectStatus(await api.call('OPTIONS', '/v1/events'), 204);
});

test('CORS: error responses have Access-Control-Allow-Origin', async () => {
  for (const path of ['/v1/auth/me', '/nothing', '/v1/events?page=0', '/v1/events/nothing']) {
    const { headers } = await api.call('GET', path, { headers: { origin: 'https://app.example' } });
    assert.equal(headers.get('access-control-allow-origin'), '*', path);
    assert.match(headers.get('access-control-expose-headers') ?? '', /Retry-After/);
  }
});

test('CORS: a list of origins allows only these, off allows none, and requests without Origin are not refused', async () => {
  const listed = await api.startAnother({
    env: { CORS_ORIGINS: 'https://app.example,https://other.example' },
  });
  const off = await api.startAnother({ env: { CORS_ORIGINS: 'off' } });
  const requestFrom = (server: TestApp, origin?: string, method = 'GET') =>
    server.call(method, '/v1/categories', {
      headers: { ...(origin && { origin, 'access-control-request-method': 'POST' }) },
    });
  for (const method of ['GET', 'OPTIONS']) {
    for (const origin of ['https://app.example', 'https://other.example']) {
      const { headers } = await requestFrom(listed, origin, method);
      assert.deepEqual(
        [headers.get('access-control-allow-origin'), headers.get('vary')?.split(', ')[0]],
        [origin, 'Origin'],
        `${method} ${origin}`,
      );
    }
    for (const origin of ['https://app.example.evil', 'http://app.example', 'null', undefined]) {
      const { headers } = await requestFrom(listed, origin, method);
      assert.equal(headers.get('access-control-allow-origin'), null, `${method} ${origin}`);
      assert.equal(headers.get('vary')?.split(', ')[0], 'Origin');
    }
  }
  const { headers } = expectStatus(await requestFrom(off, 'https://app.example'), 200);
  assert.equal(headers.get('access-control-allow-origin'), null);
  expectProblem(await requestFrom(off, 'https://app.example', 'OPTIONS'), 405, 'method_not_allowed');
});

test('headers: no-store, and a Content-Security-Policy that forbids frames and scripts', async () => {
  for (const path of ['/v1/categories', '/v1/auth/me', '/v1/nothing', '/v1/events/nothing/cover.svg']) {
    const { headers } = await api.get(path);
    const names = ['cache-control', 'content-security-policy', 'x-content-type-options', 'x-frame-options'];
    assert.deepEqual(
      names.map((name) => headers.get(name)),
      ['no-store', "default-src 'none';frame-ancestors 'none'", 'nosniff', 'DENY'],
      path,
    );
    assert.ok(headers.get('strict-transport-security') && headers.get('referrer-policy'), path);
  }
  const cover = await api.get(`/v1/events/${randomUUID()}/cover.svg`);
  assert.match(cover.headers.get('cache-control') ?? '', /immutable/);
});

// spec: 5 GET /v1/auth/me: Bearer token on protected operations
test('401: WWW-Authenticate in every 401, and only a valid access token is accepted', async () => {
  expectProblem(await api.get('/v1/auth/me'), 401, 'token_missing');
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    `Token ${person.token}`,
    person.token,
    `Bearer ${person.token}x`,
    `Bearer ${person.token} x`,
    `Bearer ${person.refreshToken}`,
    `Bearer ${'a'.repeat(8_000)}`,
    'Bearer "\u00e9"',
  ]) {
    for (const path of ['/v1/auth/me', '/v1/events']) {
      const response = expectProblem(
        await api.call('GET', path, { headers: { authorization } }),
        401,
        'token_invalid',
      );
      assert.equal(response.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    }
  }
  expectStatus(
    await api.call('GET', '/v1/auth/me', { headers: { authorization: `bearer  ${person.token}` } }),
    200,
  );
});

// spec: 7 GET /v1/events: one shape for every error
test('problems: the type contains the code, and the response contains no internals', async () => {
  const { body: page } = expectStatus(await api.get('/docs/errors'), 200);
  for (const code of Object.keys(catalogue)) assert.ok(page.includes(`id="${code}"`), code);
  const ids = new Set<string>();
  for (const path of ['/nothing', '/v1/auth/me', '/v1/events?page=0', '/v1/events/nothing', '/v1/me']) {
    const { status, headers, body } = await api.get(path);
    assert.deepEqual([body.status, body.type], [status, `/docs/errors#${body.code}`]);
    assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8');
    assert.equal(headers.get('x-powered-by'), null);
    assert.doesNotMatch(JSON.stringify(body), /fastify|postgres|select |\.ts:|node_modules/i);
    ids.add(body.requestId);
  }
  assert.equal(ids.size, 5);
});

test('Host: 400 if it is missing, and no 5xx for any value', async () => {
  for (const path of ['/healthz', '/docs/', '/v1/events', '/nothing']) {
    expectRawProblem(await getRaw(path, ''), 400, 'invalid_request');
    for (const host of [
      'a b',
      '%',
      '[::',
      '',
      'x:y:z',
      'ex\u00e4mple.org',
      '"',
      '<script>',
      'a'.repeat(5_000),
    ]) {
      const { status } = await getRaw(path, `Host: ${host}\r\n`);
      assert.ok(status < 500, `${path} ${host}: ${status}`);
    }
  }
  assert.equal((await sendRaw('GET /healthz HTTP/1.0\r\n\r\n')).status, 200);
});

test('malformed HTTP: 400 problem+json, and the connection is closed', async () => {
  const post = 'POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  for (const bytes of [
    'hello\r\n\r\n',
    'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: x\r\n\r\n',
    'GET /v1/\0 HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    Buffer.from('16030100a5010000a10303', 'hex'),
    `${post}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc`,
    `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Content-Length: -1\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  ]) {
    expectRawProblem(await sendRaw(bytes), 400, 'invalid_request');
  }
});

test('headers: 431 above 16 KiB, in a header or in the path', async () => {
  expectRawProblem(
    await getRaw('/healthz', `Host: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n`),
    431,
    'headers_too_large',
  );
  expectRawProblem(await getRaw(`/${'a'.repeat(20_000)}`, 'Host: x\r\n'), 431, 'headers_too_large');
});

test('headers: 200 for unusual but valid headers', async () => {
  for (const headers of [
    'Expect: the-unexpected\r\n',
    'Connection: upgrade\r\nUpgrade: websocket\r\n',
    'Accept: text/xml\r\n',
    'Accept-Version: 9.x\r\n',
    'X-HTTP-Method-Override: DELETE\r\n',
  ]) {
    assert.equal((await getRaw('/healthz', `Host: x\r\n${headers}`)).status, 200, headers);
  }
});

test('body: 415 naming the charset unless it is UTF-8 or its subset ASCII', async () => {
  const { token } = await createUser(api);
  const send = (charset: string, raw: Buffer<ArrayBuffer>) =>
    api.call('PATCH', '/v1/me', { token, raw, headers: { 'content-type': `application/json${charset}` } });
  const utf8 = Buffer.from('{"city":"Malmö"}');
  for (const charset of ['', '; charset=utf-8', ';charset=UTF-8', '; charset="utf-8"', '; Charset=utf8'])
    assert.equal(expectStatus(await send(charset, utf8), 200).body.city, 'Malmö', charset);
  expectStatus(await send('; charset=us-ascii', Buffer.from('{"city":"Oslo"}')), 200);
  for (const charset of ['iso-8859-1', 'windows-1252', 'utf-16le']) {
    for (const raw of [Buffer.from('{"city":"Malmö"}', 'latin1'), Buffer.from('{"city":"Oslo"}')]) {
      const refused = await send(`; charset=${charset}`, raw);
      const { detail } = expectProblem(refused, 415, 'unsupported_media_type').body;
      assert.ok(detail.includes(`"${charset}"`), detail);
    }
  }
});
