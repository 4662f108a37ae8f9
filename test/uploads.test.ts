/** Images that people send, what becomes of them, and what they are used for. */
import assert from 'node:assert/strict';
import test from 'node:test';
import sharp from 'sharp';
import { expectStatus, testApp } from './setup.ts';
import { aUser } from './world.ts';

const api = await testApp();

type Sent = Parameters<typeof api.call>[2] & {};
const upload = (
  token: string | undefined,
  bytes: Buffer,
  type = 'image/png',
  headers: Sent['headers'] = {},
) =>
  api.call('POST', '/v1/uploads', {
    token,
    raw: bytes as Buffer<ArrayBuffer>,
    headers: { 'content-type': type, ...headers },
  });
const picture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 90, b: 40 } } });
const aPng = await picture(40, 30).png().toBuffer();

const fetchImage = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${api.url}${new URL(url).pathname}`, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
};

test('upload: 201 with address and size, and the address gives the image as WebP', async () => {
  const { token } = await aUser(api);
  const { body, headers } = expectStatus(await upload(token, aPng), 201);
  assert.deepEqual(Object.keys(body), ['id', 'url', 'width', 'height', 'bytes']);
  assert.deepEqual([body.width, body.height, headers.get('location')], [40, 30, body.url]);
  assert.match(body.url, /\/v1\/uploads\/[0-9a-f-]{36}\.webp$/);
  const image = await fetchImage(body.url);
  assert.deepEqual(
    [image.status, image.headers.get('content-type'), image.bytes.length],
    [200, 'image/webp', body.bytes],
  );
});
