/** Uploads that are not valid images, and uploads that are too many or too slow. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { createUser, createUsers, eventBody, onePixelPng, type Person } from '../support/factories.ts';
import { hostileImages, withSegment } from '../support/hostile-images.ts';
import { http } from '../support/http-client.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { countUploadRows, holdConversions, listFiles, upload } from '../support/upload-helpers.ts';

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-uploads-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const api = await startTestApp({ env: { DATA_DIR: dataDir, TRUST_PROXY: 'loopback' }, hasTimeLimits: true });
const files = () => listFiles(dataDir);

for (const { name, type, bytes } of await hostileImages()) {
  // spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
  test(`hostile: 400 for ${name}, which counts, and no row or file remains`, async () => {
    const person = await createUser(api);
    const { today, ...rows } = await countUploadRows(api);
    const expected = [{ ...rows, today: today + 1 }, await files()];
    const response = expectProblem(await upload(api, person, bytes, type), 400, 'image_invalid');
    assert.match(response.body.detail, /^The image (is|has|cannot) .+\.$/);
    assert.deepEqual([await countUploadRows(api), await files()], expected);
  });
}

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('hostile: bytes after or beside the image are not in the stored image', async () => {
  const person = await createUser(api);
  const jpeg = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const garbage = Buffer.from('<script>alert("quistgaard")</script>'.repeat(20));
  const files = [
    Buffer.concat([jpeg, garbage]),
    withSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), garbage])),
    withSegment(jpeg, 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), garbage])),
    withSegment(jpeg, 0xfe, garbage),
  ];
  for (const bytes of files) {
    const { body } = expectStatus(await upload(api, person, bytes, 'image/jpeg'), 201);
    const image = Buffer.from(await (await fetch(api.url + new URL(body.url).pathname)).arrayBuffer());
    assert.ok(bytes.includes('quistgaard') && !image.includes('quistgaard'));
    assert.equal((await sharp(image).metadata()).format, 'webp');
  }
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('busy: 6 uploads of one person and 24 from one address wait for conversion, further ones get 429, and places are freed', {
  timeout: 30_000,
}, async () => {
  const people = await createUsers(api, 8);
  const [person] = people;
  assert.ok(person);
  /** Sends uploads while no conversion runs, until `refusals` are refused. Returns the number by status. */
  const sendAll = async (senders: Person[], refusals: number) => {
    const { release } = holdConversions();
    const statuses: number[] = [];
    const uploads = senders.map(async (sender) => {
      const response = await upload(api, sender, onePixelPng);
      statuses.push(response.status);
      if (response.status === 201) return;
      expectProblem(response, 429, 'too_many_requests');
      assert.ok(Number(response.headers.get('retry-after')) >= 1);
    });
    while (statuses.length < refusals) await sleep(5);
    release();
    await Promise.all(uploads);
    return Object.fromEntries(
      [201, 429].map((status) => [status, statuses.filter((s) => s === status).length]),
    );
  };
  const fourEach = people.flatMap((sender) => [sender, sender, sender, sender]);
  assert.deepEqual(await sendAll(fourEach, 8), { 201: 24, 429: 8 });
  assert.deepEqual(await sendAll(Array(9).fill(person), 3), { 201: 6, 429: 3 });
  assert.equal((await countUploadRows(api)).loose, 0);
});

/** Starts an upload that never ends. Resolves with the status of its response, if it gets one. */
function beginUpload(
  by: Person,
  address: string,
  bytes: number,
): { status: Promise<number>; close: () => void } {
  const request = http.request(`${api.url}/v1/uploads`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${by.token}`,
      'content-type': 'image/png',
      'content-length': 10 * 1024 ** 2,
      'x-forwarded-for': address,
    },
  });
  request.on('error', () => {});
  request.write(Buffer.alloc(bytes));
  const status = once(request, 'response').then(([response]) => response.statusCode as number);
  return { status, close: () => request.destroy() };
}

const uploadFrom = (address: string, by: Person) =>
  api.call('POST', '/v1/uploads', {
    token: by.token,
    raw: onePixelPng as Buffer<ArrayBuffer>,
    headers: { 'content-type': 'image/png', 'x-forwarded-for': address },
  });

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('slow: 24 uploads that never end, of four people at one address, leave room for people at this and another address', {
  timeout: 30_000,
}, async () => {
  const [guest, ...slow] = await createUsers(api, 5);
  assert.ok(guest);
  const begun = slow.flatMap((person) =>
    Array.from({ length: 6 }, () => beginUpload(person, '203.0.113.5', 100_000)),
  );
  await sleep(300);
  for (let i = 0; i < 3; i++) expectStatus(await uploadFrom('198.51.100.7', guest), 201);
  for (let i = 0; i < 3; i++) expectStatus(await uploadFrom('203.0.113.5', guest), 201);
  assert.equal(await Promise.race(begun.map(({ status }) => status)), 429);
  for (const { close } of begun) close();
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('slow: an upload has a longer request timeout than other requests, and waits at most 10 s for a conversion', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const { release } = holdConversions();
  const since = performance.now();
  const waiting = upload(api, other, onePixelPng).then((response) => {
    release();
    return { response, ms: performance.now() - since };
  });
  const send = async (path: string, type: string, bytes: Buffer) => {
    const chunks = [bytes.subarray(0, 40), bytes.subarray(40)];
    const body = new ReadableStream({
      async pull(controller) {
        if (chunks.length === 1) await new Promise((resolve) => setTimeout(resolve, 5_500));
        const chunk = chunks.shift();
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
    });
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': type };
    const response = await fetch(api.url + path, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    return {
      status: response.status,
      isWholeSent: chunks.length === 0,
      connection: response.headers.get('connection'),
    };
  };
  const [image, json] = await Promise.all([
    send('/v1/uploads', 'image/png', onePixelPng),
    send('/v1/events', 'application/json', Buffer.from(JSON.stringify(eventBody()))),
  ]);
  assert.equal(image.status, 201);
  assert.deepEqual([json.status, json.connection, json.isWholeSent], [503, 'close', false]);
  assert.equal(api.app.server.requestTimeout, 60_000);
  const { response, ms } = await waiting;
  expectProblem(response, 503, 'unavailable');
  assert.ok(ms >= 10_000, String(ms));
  assert.equal((await countUploadRows(api)).loose, 0);
});
