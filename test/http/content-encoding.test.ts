/** `Content-Encoding` of requests: the server accepts only `identity`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { gzipSync } from 'node:zlib';
import { createUser, onePixelPng } from '../support/factories.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const [caller, other] = [await createUser(api), await createUser(api)];
const json = Buffer.from(JSON.stringify({ city: 'Oslo' }));

type Call = { raw?: Buffer<ArrayBuffer>; token?: string | undefined; type?: string };
const send = (method: string, path: string, encoding: string, call: Call = {}): Promise<ApiResponse> => {
  const { raw, token = caller.token, type = 'application/json' } = call;
  const headers = { 'content-type': type, 'content-encoding': encoding };
  return api.call(method, path, { token, headers, ...(raw && { raw }) });
};

// spec: 7 GET /v1/events: one shape for every error
test('encoding: 415 unsupported_content_encoding naming the encoding, with Accept-Encoding, for any body', async () => {
  for (const coding of ['gzip', 'deflate', 'br', 'zstd', 'GZip', 'identity, gzip', 'aes128gcm', 'x']) {
    for (const raw of [json, gzipSync(json), Buffer.from('{')]) {
      const response = expectProblem(
        await send('PATCH', '/v1/me', coding, { raw }),
        415,
        'unsupported_content_encoding',
      );
      assert.ok(response.body.detail.includes(`"${coding}"`), response.body.detail);
      assert.equal(response.headers.get('accept-encoding'), 'identity');
    }
  }
  const uploaded = { raw: onePixelPng, type: 'image/png' };
  for (const raw of [onePixelPng, gzipSync(onePixelPng)])
    expectProblem(
      await send('POST', '/v1/uploads', 'gzip', { ...uploaded, raw }),
      415,
      'unsupported_content_encoding',
    );
  assert.equal((await api.sql`select 1 from uploads`).length, 0);
  // Routes without a body also return 415: the server cannot compare an encoded body with an empty object.
  const follow = `/v1/users/${other.id}/follow`;
  expectProblem(
    await send('POST', follow, 'gzip', { raw: gzipSync('{}') }),
    415,
    'unsupported_content_encoding',
  );
});

test('encoding: 200 for identity, for an empty header, and for a request without a body', async () => {
  for (const coding of ['identity', 'Identity', ' identity ', 'identity, identity', ''])
    expectStatus(await send('PATCH', '/v1/me', coding, { raw: json }), 200);
  expectStatus(await send('POST', '/v1/uploads', 'identity', { raw: onePixelPng, type: 'image/png' }), 201);
  const follow = `/v1/users/${other.id}/follow`;
  for (const method of ['POST', 'DELETE']) expectStatus(await send(method, follow, 'gzip'), 200);
  expectStatus(await send('GET', '/v1/auth/me', 'gzip'), 200);
});

test('encoding: 401 without a token and 404 for an unknown path precede 415; 415 is sent before the body is read', async () => {
  const raw = gzipSync(json);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  expectProblem(await api.call('PATCH', '/v1/me', { raw, headers }), 401, 'token_missing');
  expectProblem(await send('POST', '/v1/nothing', 'gzip', { raw }), 404, 'route_not_found');
  const large = Buffer.alloc(2 * 1024 ** 2);
  const response = await send('PATCH', '/v1/me', 'gzip', { raw: large });
  expectProblem(response, 415, 'unsupported_content_encoding');
});
