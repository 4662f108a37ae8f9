/** Compression of responses: which are compressed, which never are, and content negotiation. */
import assert from 'node:assert/strict';
import test from 'node:test';
import zlib from 'node:zlib';
import { createEvent, createUser, nextPhone } from '../support/factories.ts';
import { decoded, request } from '../support/http-client.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const long = 'Bring a dish that serves four, and a chair. '.repeat(60);
const events = await Promise.all(
  Array.from({ length: 20 }, (_, i) =>
    createEvent(api, organizer, { title: `Potluck ${i}`, description: long }),
  ),
);
const [event] = events;
const large = await createEvent(api, organizer, { description: 'Soup and bread. '.repeat(600) });
const allEncodings = 'zstd, br, gzip, deflate';
const authorization = `Bearer ${organizer.token}`;

test("compression: the reference's script and the documents shrink to less than a third, with br and gzip", async () => {
  for (const path of ['/docs/js/scalar.js', '/openapi.json', '/docs/', '/docs/errors']) {
    const plain = await request(api.url + path);
    assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], path);
    assert.match(plain.headers.vary ?? '', /Accept-Encoding/, path);
    for (const encoding of ['br', 'gzip']) {
      const response = await request(api.url + path, { 'accept-encoding': encoding });
      assert.equal(response.headers['content-encoding'], encoding, path);
      assert.equal(Number(response.headers['content-length']), response.bytes.length, path);
      assert.ok(decoded(response) === plain.bytes.toString(), `${path}: another text`);
      if (plain.bytes.length > 10_000)
        assert.ok(response.bytes.length < plain.bytes.length / 3, `${path}: ${response.bytes.length}`);
      assert.equal(response.headers['content-type'], plain.headers['content-type'], path);
    }
  }
});

test('compression: a document is compressed once, for the first requests at the same time and for later ones', async (t) => {
  const compressions = t.mock.method(zlib, 'brotliCompress');
  const { url } = await api.startAnother();
  const get = () => request(`${url}/docs/js/scalar.js`, { 'accept-encoding': 'br' });
  const responses = [...(await Promise.all([get(), get(), get()])), await get()];
  for (const { headers } of responses) assert.equal(headers['content-encoding'], 'br');
  assert.equal(compressions.mock.callCount(), 1);
});

test('compression: Accept-Encoding is negotiated: quality values, case and unknown encodings', async () => {
  const url = `${api.url}/openapi.json`;
  for (const [accept, expected] of [
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['gzip, br;q=0.1', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['snappy', undefined],
    ['', undefined],
    ['BR', 'br'],
    [allEncodings, 'br'],
  ] as const) {
    const response = await request(url, { 'accept-encoding': accept });
    assert.deepEqual([response.status, response.headers['content-encoding']], [200, expected], accept);
    assert.equal(JSON.parse(decoded(response)).openapi, '3.1.0', accept);
  }
});

test('compression: large lists, records and calendars decode to the uncompressed body', async () => {
  for (const path of [
    '/v1/events',
    '/v1/events/search?q=potluck',
    `/v1/events/${large.id}`,
    `/v1/users/${organizer.id}/events?limit=20`,
    '/v1/events.ics',
  ]) {
    const plain = await request(api.url + path, { authorization });
    const text = plain.bytes.toString();
    assert.ok(plain.bytes.length > 8_192, `${path}: ${plain.bytes.length}`);
    assert.match(plain.headers.vary ?? '', /Accept-Encoding/, path);
    for (const encoding of ['zstd', 'br', 'gzip']) {
      const response = await request(api.url + path, { authorization, 'accept-encoding': encoding });
      assert.deepEqual([response.status, response.headers['content-encoding']], [200, encoding], path);
      assert.ok(response.bytes.length < plain.bytes.length / 2, path);
      assert.equal(decoded(response), text, path);
      assert.equal(response.headers.vary?.match(/accept-encoding/gi)?.length, 1, path);
    }
  }
});

test('compression: small JSON responses and images are not compressed', async () => {
  for (const path of [
    '/v1/categories',
    `/v1/events/${event?.id}`,
    `/v1/events/${event?.id}/items`,
    '/v1/nothing',
    `/v1/events/${event?.id}/cover.svg`,
  ]) {
    const { headers } = await request(api.url + path, { 'accept-encoding': allEncodings });
    assert.equal(headers['content-encoding'], undefined, path);
  }
});

test('compression: responses of routes that do not declare it are never compressed, at any size', async () => {
  const headers = { 'accept-encoding': allEncodings, 'content-type': 'application/json' };
  const send = async (path: string, body: unknown, token?: string) => {
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    assert.equal(response.headers.get('content-encoding'), null, path);
    return response.json() as Promise<Record<string, string>>;
  };
  const phone = nextPhone();
  await send('/v1/auth/otp/request', { phone });
  const code = api.sent.findLast((message) => message.phone === phone)?.code;
  const verified = await send('/v1/auth/otp/verify', { phone, code });
  const { accessToken: token } = await send('/v1/auth/refresh', { refreshToken: verified.refreshToken });
  const { url } = await send('/v1/me/calendar', undefined, token);

  // Creates large responses: 20 messages of 1,300 characters.
  const other = await createUser(api);
  for (let i = 0; i < 20; i++)
    expectStatus(
      await api.post(`/v1/users/${other.id}/messages`, token, { text: 'Bring bread. '.repeat(100) }),
      201,
    );
  for (const path of [
    '/v1/auth/me',
    '/v1/auth/sessions',
    '/v1/me/export',
    '/v1/conversations',
    `/v1/users/${other.id}/messages`,
    new URL(url ?? '').pathname,
  ]) {
    const response = await request(api.url + path, {
      'accept-encoding': allEncodings,
      authorization: `Bearer ${token}`,
    });
    assert.deepEqual([response.status, response.headers['content-encoding']], [200, undefined], path);
  }
});

test('compression: concurrent requests each get the encoding they accept', async () => {
  const accepts = ['zstd', 'br', 'gzip', 'identity'];
  const responses = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      request(`${api.url}/v1/events?limit=${(i % 20) + 1}`, { 'accept-encoding': accepts[i % 4] ?? '' }),
    ),
  );
  for (const [i, response] of responses.entries())
    assert.equal(JSON.parse(decoded(response)).data.length, (i % 20) + 1);
});

test('HEAD: the headers of GET, compressed or not; Content-Length is that of GET or absent', async () => {
  const paths = [
    '/v1/events',
    `/v1/events/${large.id}`,
    `/v1/events/${event?.id}`,
    '/v1/events.ics',
    '/openapi.json',
  ];
  // Headers of the connection, of one request, and of the transfer of a body.
  const other =
    /^(date|connection|keep-alive|transfer-encoding|content-length|x-request-id|ratelimit(-.*)?)$/;
  const shown = ({ headers }: Response) => [...headers].filter(([name]) => !other.test(name));
  for (const path of [...paths, '/docs/', '/v1/categories', '/v1/nothing']) {
    for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
      const [get, head] = (await Promise.all(
        ['GET', 'HEAD'].map((method) =>
          fetch(api.url + path, { method, headers: { 'accept-encoding': encoding } }),
        ),
      )) as [Response, Response];
      await get.text();
      assert.deepEqual(shown(head), shown(get), `${path} ${encoding}`);
      const length = head.headers.get('content-length');
      if (length !== null) assert.equal(length, get.headers.get('content-length'), `${path} ${encoding}`);
    }
  }
});
