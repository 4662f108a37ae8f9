/** What is refused as an image, and what happens when too much comes or it comes slowly. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { conversionQueue } from '../src/modules/uploads/images.ts';
import { createUser, createUsers, eventBody, onePixelPng, type Person } from './factories.ts';
import { hostileImages, withSegment } from './hostile-images.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';
import { countUploadRows, listFiles, upload } from './upload-helpers.ts';

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-uploads-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const api = await startTestApp({ env: { DATA_DIR: dataDir } });
const files = () => listFiles(dataDir);

for (const { name, type, bytes } of await hostileImages()) {
  // spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
  test(`hostile: 400 for ${name}, and nothing is left of it`, async () => {
    const person = await createUser(api);
    const before = [await countUploadRows(api), await files()];
    const answer = expectProblem(await upload(api, person, bytes, type), 400, 'image_invalid');
    assert.match(answer.body.detail, /^The image (is|has|cannot) .+\.$/);
    assert.deepEqual([await countUploadRows(api), await files()], before);
  });
}

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('hostile: of garbage beside an image, or behind it, nothing is in what is kept', async () => {
  const person = await createUser(api);
  const jpeg = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const evil = Buffer.from('<script>alert("quistgaard")</script>'.repeat(20));
  const files = [
    Buffer.concat([jpeg, evil]),
    withSegment(jpeg, 0xe1, Buffer.concat([Buffer.from('Exif\0\0'), evil])),
    withSegment(jpeg, 0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), evil])),
    withSegment(jpeg, 0xfe, evil),
  ];
  for (const bytes of files) {
    const { body } = expectStatus(await upload(api, person, bytes, 'image/jpeg'), 201);
    const image = Buffer.from(await (await fetch(api.url + new URL(body.url).pathname)).arrayBuffer());
    assert.ok(bytes.includes('quistgaard') && !image.includes('quistgaard'));
    assert.equal((await sharp(image).metadata()).format, 'webp');
  }
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('busy: two images at a time, 503 with Retry-After for whoever comes to a full house, 429 to one of too many, and room is given back', {
  timeout: 30_000,
}, async () => {
  const people = await createUsers(api, 8);
  const [one] = people;
  assert.ok(one);
  /** Sends while nobody gets a turn, until so many were refused; gives how many had which answer. */
  const sendAll = async (senders: Person[], refusals: number) => {
    conversionQueue.pause();
    const statuses: number[] = [];
    const all = senders.map(async (by) => {
      const answer = await upload(api, by, onePixelPng);
      statuses.push(answer.status);
      if (answer.status === 503) expectProblem(answer, 503, 'unavailable');
      if (answer.status === 429) expectProblem(answer, 429, 'too_many_requests');
      if (answer.status !== 201) assert.ok(Number(answer.headers.get('retry-after')) >= 1);
    });
    while (statuses.length < refusals || conversionQueue.size < senders.length - refusals) await sleep(5);
    conversionQueue.start();
    assert.equal(conversionQueue.pending, 2);
    await Promise.all(all);
    return Object.fromEntries(
      [201, 429, 503].map((status) => [status, statuses.filter((s) => s === status).length]),
    );
  };
  const four = people.flatMap((by) => [by, by, by, by]);
  assert.deepEqual(await sendAll(four, 16), { 201: 16, 429: 0, 503: 16 });
  assert.deepEqual(await sendAll(Array(9).fill(one), 3), { 201: 6, 429: 3, 503: 0 });
  assert.equal((await countUploadRows(api)).loose, 0);
});

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('slow: an image may take longer to arrive than anything else may, and waits five seconds for its turn', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  conversionQueue.pause();
  const since = performance.now();
  const waiting = upload(api, other, onePixelPng).then((answer) => {
    conversionQueue.start();
    return { answer, ms: performance.now() - since };
  });
  const send = async (path: string, type: string, bytes: Buffer) => {
    const halves = [bytes.subarray(0, 40), bytes.subarray(40)];
    const since = performance.now();
    const body = new ReadableStream({
      async pull(controller) {
        const half = halves.shift();
        if (half && halves.length === 0) await new Promise((resolve) => setTimeout(resolve, 5_500));
        if (half) controller.enqueue(half);
        else controller.close();
      },
    });
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': type };
    const answer = await fetch(api.url + path, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit);
    return {
      status: answer.status,
      ms: performance.now() - since,
      connection: answer.headers.get('connection'),
    };
  };
  const [image, json] = await Promise.all([
    send('/v1/uploads', 'image/png', onePixelPng),
    send('/v1/events', 'application/json', Buffer.from(JSON.stringify(eventBody()))),
  ]);
  assert.equal(image.status, 201);
  assert.deepEqual([json.status, json.connection, json.ms < 5_500], [503, 'close', true]);
  assert.equal(api.app.server.requestTimeout, 60_000);
  const { answer, ms } = await waiting;
  expectProblem(answer, 503, 'unavailable');
  assert.ok(ms >= 5_000 && ms < 5_500, String(ms));
  assert.equal((await countUploadRows(api)).loose, 0);
});
