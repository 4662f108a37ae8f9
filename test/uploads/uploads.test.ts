/** Upload, serving and deletion of images. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import sharp from 'sharp';
import { createAdmin, createUpload, createUser, onePixelPng, type Person } from '../support/factories.ts';
import { deepPng, greyPng } from '../support/hostile-images.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();

const upload = (by: Person, bytes: Buffer, type = 'image/png', headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/uploads', {
    token: by.token,
    raw: bytes as Buffer<ArrayBuffer>,
    headers: { 'content-type': type, ...headers },
  });
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 90, b: 40 } } });

/** Requests the image at a URL and returns its bytes. */
async function fetchImage(url: string, headers: Record<string, string> = {}, on = api) {
  const response = await fetch(on.url + new URL(url).pathname, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
// spec: 2.4 POST /v1/uploads, GET /v1/uploads/:id.webp, DELETE /v1/uploads/:id: uploaded images
test('upload: 201 with URL and size; the URL serves the image as WebP', async () => {
  const person = await createUser(api);
  const { body, headers } = expectStatus(await upload(person, await plain(40, 30).png().toBuffer()), 201);
  assert.deepEqual(Object.keys(body), ['id', 'url', 'width', 'height', 'bytes']);
  assert.deepEqual([body.width, body.height, headers.get('location')], [40, 30, body.url]);
  assert.ok(body.url.endsWith(`/v1/uploads/${body.id}.webp`));
  const image = await fetchImage(body.url);
  assert.equal(image.status, 200);
  assert.equal(image.headers.get('content-type'), 'image/webp');
  assert.equal(image.headers.get('content-length'), String(body.bytes));
  assert.equal(image.bytes.length, body.bytes);
  const { format, width, height } = await sharp(image.bytes).metadata();
  assert.deepEqual([format, width, height], ['webp', 40, 30]);
});

test('upload: 201 for JPEG, PNG and WebP, also with parameters and capitals in the media type', async () => {
  const person = await createUser(api);
  const inputs = [
    ['image/jpeg', await plain(20, 10).jpeg().toBuffer()],
    ['image/png', await plain(20, 10).png().toBuffer()],
    ['image/webp', await plain(20, 10).webp().toBuffer()],
    ['Image/PNG; name=me.png', onePixelPng],
  ] as const;
  for (const [type, bytes] of inputs) expectStatus(await upload(person, bytes, type), 201);
});

test('upload: an image above 2,048 pixels per side is scaled down, a smaller image keeps its size', async () => {
  const person = await createUser(api);
  const sizes = [];
  for (const [width, height] of [
    [4_000, 1_000],
    [1_000, 4_096],
    [2_048, 2_048],
    [2_048, 1],
  ] as const) {
    const { body } = expectStatus(await upload(person, greyPng(width, height)), 201);
    sizes.push([body.width, body.height]);
  }
  assert.deepEqual(sizes, [
    [2_048, 512],
    [500, 2_048],
    [2_048, 2_048],
    [2_048, 1],
  ]);
});

test('upload: the image is rotated by its EXIF orientation, and all metadata are removed', async () => {
  const person = await createUser(api);
  const bytes = await plain(60, 20)
    .withExif({ IFD0: { Copyright: 'Quistgaard' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Quistgaard</x:xmpmeta>')
    .withIccProfile('p3', { attach: true })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  assert.ok(bytes.includes('Quistgaard'));
  const { body } = expectStatus(await upload(person, bytes, 'image/jpeg'), 201);
  assert.deepEqual([body.width, body.height], [20, 60]);
  const image = await fetchImage(body.url);
  assert.ok(!image.bytes.includes('Quistgaard'));
  const { exif, xmp, icc, iptc, orientation } = await sharp(image.bytes).metadata();
  assert.deepEqual([exif, xmp, icc, iptc, orientation], Array(5).fill(undefined));
});

test('upload: transparency is preserved; an animation is reduced to its first frame', async () => {
  const person = await createUser(api);
  const translucent = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000040' } })
    .png()
    .toBuffer();
  const { body } = expectStatus(await upload(person, translucent), 201);
  assert.equal((await sharp((await fetchImage(body.url)).bytes).metadata()).hasAlpha, true);
  const frames = await Promise.all(['red', 'green', 'blue'].map((background) => solid(background)));
  const animated = await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer();
  const first = expectStatus(await upload(person, animated, 'image/webp'), 201).body;
  assert.deepEqual([first.width, first.height], [8, 8]);
  const { pages } = await sharp((await fetchImage(first.url)).bytes).metadata();
  assert.equal(pages ?? 1, 1);
});

const solid = (background: string) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 413 above 10 MiB, 201 at 10 MiB', async () => {
  const person = await createUser(api);
  const maxBytes = 10 * 1024 ** 2;
  const padded = (size: number) => Buffer.concat([onePixelPng, Buffer.alloc(size - onePixelPng.length)]);
  expectStatus(await upload(person, padded(maxBytes)), 201);
  expectProblem(await upload(person, padded(maxBytes + 1)), 413, 'payload_too_large');
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 201 by the first bytes of the file, with every declared media type', async () => {
  const person = await createUser(api);
  const types = ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream'];
  const files = [
    await plain(20, 10).jpeg().toBuffer(),
    await plain(20, 10).png().toBuffer(),
    await plain(20, 10).webp().toBuffer(),
  ];
  for (const type of types) {
    for (const bytes of files) {
      const { body } = expectStatus(await upload(person, bytes, type), 201);
      assert.deepEqual([body.width, body.height], [20, 10], type);
    }
  }
  const document = expectStatus(await api.get('/openapi.json'), 200).body;
  assert.deepEqual(Object.keys(document.paths['/v1/uploads'].post.requestBody.content), types);
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 400 for a file that is not JPEG, PNG or WebP, with the same detail for every declared media type', async () => {
  const person = await createUser(api);
  const files = [await plain(20, 10).gif().toBuffer(), Buffer.from('<svg/>'), Buffer.from('no image')];
  for (const type of ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream']) {
    for (const bytes of files) {
      const response = expectProblem(await upload(person, bytes, type), 400, 'image_invalid');
      assert.equal(response.body.detail, 'The image is neither JPEG, PNG nor WebP by its first bytes.');
    }
  }
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 415 for an unsupported media type, for JSON, and without a media type', async () => {
  const person = await createUser(api);
  for (const type of [
    'image/gif',
    'image/svg+xml',
    'image/jpg',
    'image/*',
    'multipart/form-data; boundary=x',
    'text/html',
    'application/octet-streams',
  ]) {
    const response = expectProblem(await upload(person, onePixelPng, type), 415, 'unsupported_media_type');
    assert.match(response.body.detail, /image\/jpeg, image\/png, image\/webp, application\/octet-stream/);
  }
  const untyped = await fetch(`${api.url}/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.token}` },
    body: new Blob([new Uint8Array(onePixelPng)]).stream(),
    duplex: 'half',
  } as RequestInit);
  assert.equal(untyped.status, 415);
  expectProblem(await api.post('/v1/uploads', person.token, { image: 1 }), 415, 'unsupported_media_type');
  expectProblem(await api.post('/v1/uploads', person.token), 415, 'unsupported_media_type');
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 400 above 50 megapixels, naming the size; 201 at 50 megapixels', async () => {
  const person = await createUser(api);
  expectStatus(await upload(person, greyPng(10_000, 5_000)), 201);
  const response = expectProblem(await upload(person, greyPng(10_000, 5_001)), 400, 'image_invalid');
  assert.match(response.body.detail, /10000 × 5001 pixels; at most 50 megapixels/);
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 400 above 150 MB of decoded pixels, before the image is decoded; 201 below', async () => {
  const person = await createUser(api);
  expectStatus(await upload(person, deepPng(400, 300)), 201);
  // An image of one row cannot be decoded: its header alone decides.
  const response = expectProblem(await upload(person, deepPng(4_331, 4_330, 1)), 400, 'image_invalid');
  assert.match(response.body.detail, /4331 × 4330 pixels of 4 channels with 16 bits; at most 150 MB/);
  const smaller = expectProblem(await upload(person, deepPng(4_330, 4_330, 1)), 400, 'image_invalid');
  assert.match(smaller.body.detail, /damaged or cut short/);
});

test('upload: 401 without a token and with an invalid token', async () => {
  const raw = onePixelPng;
  const headers = { 'content-type': 'image/png' };
  expectProblem(await api.call('POST', '/v1/uploads', { raw, headers }), 401, 'token_missing');
  const token = 'pa_not-a-token';
  expectProblem(await api.call('POST', '/v1/uploads', { token, raw, headers }), 401, 'token_invalid');
});

test('upload: 403 while the flag uploads is off; existing images are still served', async () => {
  const [person, admin] = [await createUser(api), await createAdmin(api)];
  const { url } = await createUpload(api, person);
  const set = (enabled: boolean) =>
    api.call('PUT', '/v1/admin/flags/uploads', { token: admin.token, body: { enabled } });
  expectStatus(await set(false), 200);
  expectProblem(await upload(person, onePixelPng), 403, 'feature_disabled');
  assert.equal((await fetchImage(url)).status, 200);
  expectStatus(await set(true), 200);
  expectStatus(await upload(person, onePixelPng), 201);
});

test('upload: a repeated idempotency key stores one image; 422 for another image with the same key', async () => {
  const person = await createUser(api);
  const headers = { 'idempotency-key': 'one-image' };
  const first = expectStatus(await upload(person, onePixelPng, 'image/png', headers), 201);
  const again = expectStatus(await upload(person, onePixelPng, 'image/png', headers), 201);
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  expectProblem(await upload(person, greyPng(2, 2), 'image/png', headers), 422, 'idempotency_key_reused');
  const rows = await api.sql`select id from uploads where user_id = ${person.id}`;
  assert.deepEqual(
    rows.map(({ id }) => id),
    [first.body.id],
  );
});

// spec: 2.4 POST /v1/uploads, GET /v1/uploads/:id.webp, DELETE /v1/uploads/:id: uploaded images
test('image: 200 without a token on every server, cacheable without expiry; 304 for a matching ETag', async () => {
  const person = await createUser(api);
  const { id, url } = await createUpload(api, person);
  for (const on of [api, second]) {
    const { status, headers } = await fetchImage(url, {}, on);
    assert.equal(status, 200);
    assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    assert.equal(headers.get('etag'), `"${id}"`);
  }
  const etags = `W/"other", "${id}"`;
  const known = await fetchImage(url, { 'if-none-match': etags });
  assert.deepEqual([known.status, known.bytes.length], [304, 0]);
  assert.equal((await fetchImage(url, { 'if-none-match': '"other"' })).status, 200);
  const head = await fetch(api.url + new URL(url).pathname, { method: 'HEAD' });
  assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'image/webp']);
});

test('image: 404 for an unknown or malformed id', async () => {
  for (const id of [randomUUID(), 'x', '..%2f..%2fsecret-key', `${randomUUID()}.webp`, '%00'])
    expectProblem(await api.get(`/v1/uploads/${id}.webp`), 404, 'upload_not_found');
});

test('image: 404 on every server while its owner is suspended', async () => {
  const [person, admin] = [await createUser(api), await createAdmin(api)];
  const { url } = await createUpload(api, person);
  const statuses = async () =>
    Promise.all([api, second].map(async (on) => (await fetchImage(url, {}, on)).status));
  expectStatus(await api.post(`/v1/admin/users/${person.id}/suspend`, admin.token, {}), 200);
  assert.deepEqual(await statuses(), [404, 404]);
  expectStatus(await api.delete(`/v1/admin/users/${person.id}/suspend`, admin.token), 200);
  assert.deepEqual(await statuses(), [200, 200]);
});

// spec: 2.4 POST /v1/uploads, GET /v1/uploads/:id.webp, DELETE /v1/uploads/:id: uploaded images
test('delete: 200 for owner and admin, then 404 on every server; 403 for others', async () => {
  const [owner, other, admin] = [await createUser(api), await createUser(api), await createAdmin(api)];
  for (const by of [owner, admin]) {
    const { id, url } = await createUpload(api, owner);
    expectProblem(await api.delete(`/v1/uploads/${id}`, other.token), 403, 'not_owner');
    assert.equal((await fetchImage(url)).status, 200);
    expectStatus(await api.delete(`/v1/uploads/${id}`, by.token), 200);
    for (const on of [api, second]) assert.equal((await fetchImage(url, {}, on)).status, 404);
    expectProblem(await api.delete(`/v1/uploads/${id}`, by.token), 404, 'upload_not_found');
  }
  expectProblem(await api.delete('/v1/uploads/x', owner.token), 404, 'upload_not_found');
});

// spec: 8 POST /v1/uploads: images: 100 per day and 1 GiB per person
test('limit: 429 with Retry-After for the 101st upload of a UTC day, also where the clock is behind; 201 on the next day', async () => {
  const clocked = await startTestApp();
  const person = await createUser(clocked);
  await createUpload(clocked, person);
  await clocked.sql`update upload_usage set today = 99`;
  await createUpload(clocked, person);
  const send = () => {
    const headers = { 'content-type': 'image/png' };
    return clocked.call('POST', '/v1/uploads', { token: person.token, raw: onePixelPng, headers });
  };
  const response = expectProblem(await send(), 429, 'too_many_uploads');
  const seconds = Number(response.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 86_400, String(seconds));
  // A deletion frees storage and does not reduce the daily count.
  const [row] = await clocked.sql`select id from uploads limit 1`;
  expectStatus(await clocked.delete(`/v1/uploads/${row?.id}`, person.token), 200);
  expectProblem(await send(), 429, 'too_many_uploads');
  // A server whose clock is ahead has begun the next day.
  await clocked.sql`update upload_usage set day = day + 1`;
  expectProblem(await send(), 429, 'too_many_uploads');
  await clocked.sql`update upload_usage set day = day - 2`;
  expectStatus(await send(), 201);
});

// spec: 8 POST /v1/uploads: images: 100 per day and 1 GiB per person
test('limit: 409 when the images of a person take one gibibyte, 201 after a deletion', async () => {
  const person = await createUser(api);
  const { id, bytes } = await createUpload(api, person);
  await api.sql`update upload_usage set bytes = ${1024 ** 3 - bytes + 1} where user_id = ${person.id}`;
  expectProblem(await upload(person, onePixelPng), 409, 'storage_full');
  assert.equal((await api.sql`select 1 from loose_files`).length, 0);
  expectStatus(await api.delete(`/v1/uploads/${id}`, person.token), 200);
  expectStatus(await upload(person, onePixelPng), 201);
  const [used] = await api.sql<[{ bytes: number }]>`
    select sum(bytes)::int as bytes from uploads where user_id = ${person.id}`;
  await api.sql`update upload_usage set bytes = ${used.bytes} where user_id = ${person.id}`;
});
