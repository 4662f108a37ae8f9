/** Images that people send, and what becomes of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import sharp from 'sharp';
import { createAdmin, createUpload, createUser, onePixelPng, type Person } from './factories.ts';
import { greyPng } from './hostile-images.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();

const upload = (by: Person, bytes: Buffer, type = 'image/png', headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/uploads', {
    token: by.token,
    raw: bytes as Buffer<ArrayBuffer>,
    headers: { 'content-type': type, ...headers },
  });
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 90, b: 40 } } });

/** What has this address, as bytes. */
async function fetchImage(url: string, headers: Record<string, string> = {}, on = api) {
  const response = await fetch(on.url + new URL(url).pathname, { headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
// spec: 2.4 POST /v1/uploads, GET /v1/uploads/:id.webp, DELETE /v1/uploads/:id: uploaded images
test('upload: 201 with address and size, and the address gives the image as WebP', async () => {
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

test('upload: 201 for JPEG, PNG and WebP, with parameters in the type or capitals too', async () => {
  const person = await createUser(api);
  const each = [
    ['image/jpeg', await plain(20, 10).jpeg().toBuffer()],
    ['image/png', await plain(20, 10).png().toBuffer()],
    ['image/webp', await plain(20, 10).webp().toBuffer()],
    ['Image/PNG; name=me.png', onePixelPng],
  ] as const;
  for (const [type, bytes] of each) expectStatus(await upload(person, bytes, type), 201);
});

test('upload: larger than 2,048 pixels a side becomes smaller, a smaller one stays as it is', async () => {
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

test('upload: turned as EXIF says, and no metadata is left', async () => {
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

test('upload: transparency stays, and of an animation the first frame', async () => {
  const person = await createUser(api);
  const see = await sharp({ create: { width: 8, height: 8, channels: 4, background: '#ff000040' } })
    .png()
    .toBuffer();
  const { body } = expectStatus(await upload(person, see), 201);
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
test('upload: 413 above 10 MiB, 201 for as much', async () => {
  const person = await createUser(api);
  const most = 10 * 1024 ** 2;
  const padded = (size: number) => Buffer.concat([onePixelPng, Buffer.alloc(size - onePixelPng.length)]);
  expectStatus(await upload(person, padded(most)), 201);
  expectProblem(await upload(person, padded(most + 1)), 413, 'payload_too_large');
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 201 by the first bytes of the file, whichever declared type the request names', async () => {
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
test('upload: 400 for a file that is no JPEG, PNG or WebP, with the same detail for every declared type', async () => {
  const person = await createUser(api);
  const files = [await plain(20, 10).gif().toBuffer(), Buffer.from('<svg/>'), Buffer.from('no image')];
  for (const type of ['image/jpeg', 'image/png', 'image/webp', 'application/octet-stream']) {
    for (const bytes of files) {
      const answer = expectProblem(await upload(person, bytes, type), 400, 'image_invalid');
      assert.equal(answer.body.detail, 'The image is neither JPEG, PNG nor WebP by its first bytes.');
    }
  }
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('upload: 415 for any type that is not declared, for JSON, and without a type', async () => {
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
    const answer = expectProblem(await upload(person, onePixelPng, type), 415, 'unsupported_media_type');
    assert.match(answer.body.detail, /image\/jpeg, image\/png, image\/webp, application\/octet-stream/);
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
test('upload: 400 above 50 megapixels, naming the size; 201 for as many', async () => {
  const person = await createUser(api);
  expectStatus(await upload(person, greyPng(10_000, 5_000)), 201);
  const answer = expectProblem(await upload(person, greyPng(10_000, 5_001)), 400, 'image_invalid');
  assert.match(answer.body.detail, /10000 × 5001 pixels; at most 50 megapixels/);
});

test('upload: 401 before the image is looked at', async () => {
  const raw = onePixelPng;
  const headers = { 'content-type': 'image/png' };
  expectProblem(await api.call('POST', '/v1/uploads', { raw, headers }), 401, 'token_missing');
  const token = 'pa_not-a-token';
  expectProblem(await api.call('POST', '/v1/uploads', { token, raw, headers }), 401, 'token_invalid');
});

test('upload: 403 while the flag is off; images that are there stay', async () => {
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

test('upload: the same key makes it once; for another image it is a 422', async () => {
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
test('image: for everybody on every server, for ever, and 304 for whoever has it', async () => {
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

test('image: 404 for what is not there, whatever the id looks like', async () => {
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
test('limit: 429 with Retry-After for the 101st in a day of UTC, 201 again on the next', async () => {
  const clocked = await startTestApp();
  const person = await createUser(clocked);
  await createUpload(clocked, person);
  await clocked.sql`update upload_usage set today = 99`;
  await createUpload(clocked, person);
  const send = () => {
    const headers = { 'content-type': 'image/png' };
    return clocked.call('POST', '/v1/uploads', { token: person.token, raw: onePixelPng, headers });
  };
  const answer = expectProblem(await send(), 429, 'too_many_uploads');
  const seconds = Number(answer.headers.get('retry-after'));
  assert.ok(seconds > 0 && seconds <= 86_400, String(seconds));
  // Deleting frees room, not the day.
  const [row] = await clocked.sql`select id from uploads limit 1`;
  expectStatus(await clocked.delete(`/v1/uploads/${row?.id}`, person.token), 200);
  expectProblem(await send(), 429, 'too_many_uploads');
  await clocked.sql`update upload_usage set day = day - 1`;
  expectStatus(await send(), 201);
});

// spec: 8 POST /v1/uploads: images: 100 per day and 1 GiB per person
test('limit: 409 when a person’s images take a gibibyte, 201 after some are deleted', async () => {
  const person = await createUser(api);
  const { id, bytes } = await createUpload(api, person);
  await api.sql`update upload_usage set bytes = ${1024 ** 3 - bytes + 1} where user_id = ${person.id}`;
  expectProblem(await upload(person, onePixelPng), 409, 'storage_full');
  assert.equal((await api.sql`select 1 from loose_files`).length, 0);
  expectStatus(await api.delete(`/v1/uploads/${id}`, person.token), 200);
  expectStatus(await upload(person, onePixelPng), 201);
  await api.sql`
    update upload_usage g set bytes = (select coalesce(sum(bytes), 0) from uploads u where u.user_id = g.user_id)`;
});
