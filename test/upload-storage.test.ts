/** Where images are kept, what refuses to be kept there, and that nothing stays of what is gone. */
import assert from 'node:assert/strict';
import { glob, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import sharp from 'sharp';
import { readConfig } from '../src/config.ts';
import { openDirectory, openStorage, type Storage } from '../src/uploads/storage.ts';
import { sweepFiles } from '../src/uploads/sweep.ts';
import { greyPng, hostileImages, withSegment } from './hostile-images.ts';
import { assertCounters } from './invariants.ts';
import { s3Stub } from './s3-stub.ts';
import { expectProblem, expectStatus, type TestApp, testApp } from './setup.ts';
import { anUpload, aPng, aUser, deleteAccount, eventBody, type Person, users } from './world.ts';

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-uploads-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const api = await testApp({ env: { DATA_DIR: dataDir } });
const second = await api.another();

const upload = (by: Person, bytes: Buffer, type = 'image/png', on: TestApp = api) =>
  on.call('POST', '/v1/uploads', {
    token: by.token,
    raw: bytes as Buffer<ArrayBuffer>,
    headers: { 'content-type': type },
  });
const statusOf = async (url: string, on = api) => {
  const response = await fetch(on.url + new URL(url).pathname);
  await response.arrayBuffer();
  return response.status;
};
/** Every file there is, finished or not. */
const files = async () =>
  (await Array.fromAsync(glob('uploads/*/*', { cwd: dataDir }))).map((file) => path.basename(file)).sort();
const rowsOf = async (on = api) => {
  const [row] = await on.sql`
    select (select count(*)::int from uploads) as uploads, (select count(*)::int from loose_files) as loose,
      (select coalesce(sum(today), 0)::int from upload_usage) as today`;
  return row;
};

for (const { name, type, bytes } of await hostileImages()) {
  test(`hostile: 400 for ${name}, and nothing is left of it`, async () => {
    const person = await aUser(api);
    const before = [await rowsOf(), await files()];
    const answer = expectProblem(await upload(person, bytes, type), 400, 'image_invalid');
    assert.match(answer.body.detail, /^The image (is|has|cannot) .+\.$/);
    assert.deepEqual([await rowsOf(), await files()], before);
  });
}

test('hostile: of garbage beside an image, or behind it, nothing is in what is kept', async () => {
  const person = await aUser(api);
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
    const { body } = expectStatus(await upload(person, bytes, 'image/jpeg'), 201);
    const image = Buffer.from(await (await fetch(api.url + new URL(body.url).pathname)).arrayBuffer());
    assert.ok(bytes.includes('quistgaard') && !image.includes('quistgaard'));
    assert.equal((await sharp(image).metadata()).format, 'webp');
  }
});

test('busy: 503 with Retry-After for whoever comes to a full house, 429 to one of too many, and room is given back', async () => {
  const people = await users(api, 8);
  const slow = greyPng(9, 800_000);
  const answers = await Promise.all(
    people.flatMap((by) => Array.from({ length: 4 }, () => upload(by, slow))),
  );
  for (const answer of answers.filter(({ status }) => status === 503)) {
    expectProblem(answer, 503, 'unavailable');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [201, 503]);
  const [one] = people;
  assert.ok(one);
  const many = await Promise.all(Array.from({ length: 9 }, () => upload(one, slow)));
  for (const answer of many.filter(({ status }) => status !== 201))
    expectProblem(answer, 429, 'too_many_requests');
  assert.deepEqual([...new Set(many.map(({ status }) => status))].sort(), [201, 429]);
  expectStatus(await upload(one, aPng), 201);
  assert.equal((await rowsOf())?.loose, 0);
});

test('slow: an image may take longer to arrive than anything else may', async () => {
  const person = await aUser(api);
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
    send('/v1/uploads', 'image/png', aPng),
    send('/v1/events', 'application/json', Buffer.from(JSON.stringify(eventBody()))),
  ]);
  assert.equal(image.status, 201);
  assert.deepEqual([json.status, json.connection, json.ms < 5_500], [503, 'close', true]);
  assert.equal(api.app.server.requestTimeout, 60_000);
});

test('disk: a file for each row and no other, and none after deletion', async () => {
  const person = await aUser(api);
  const kept = await files();
  const made = await Promise.all(Array.from({ length: 5 }, () => anUpload(api, person)));
  assert.deepEqual(await files(), [...kept, ...made.map(({ id }) => `${id}.webp`)].sort());
  for (const { id } of made) expectStatus(await second.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.deepEqual(await files(), kept);
  await assertCounters(api.sql);
});

test('disk: 503 storage_unavailable where nothing can be written or read, and nothing is left in the table', async () => {
  const place = await mkdtemp(path.join(os.tmpdir(), 'potluck-uploads-'));
  after(() => rm(place, { recursive: true, force: true }));
  const broken = await testApp({ env: { DATA_DIR: place } });
  // A file stands where the directory should.
  await writeFile(path.join(place, 'uploads'), '');
  const person = await aUser(broken);
  expectProblem(await upload(person, aPng, 'image/png', broken), 503, 'storage_unavailable');
  const { uploads, today } = (await rowsOf(broken)) ?? {};
  assert.deepEqual([uploads, today], [0, 0]);
  await rm(path.join(place, 'uploads'));
  await sweepFiles(broken.sql, openDirectory(path.join(place, 'uploads')), new Date());
  assert.equal((await rowsOf(broken))?.loose, 0);
  const { url, id } = await anUpload(broken, person);
  await rm(path.join(place, 'uploads'), { recursive: true });
  assert.equal(await statusOf(url, broken), 404);
  await writeFile(path.join(place, 'uploads'), '');
  assert.equal(await statusOf(url, broken), 503);
  expectStatus(await broken.delete(`/v1/uploads/${id}`, person.token), 200);
});

test('sweep: a file that was announced and never told of goes, one that is told of or being written stays', async () => {
  const person = await aUser(api);
  const storage = openDirectory(path.join(dataDir, 'uploads'));
  const { id } = await anUpload(api, person);
  const before = await files();
  const ids = [
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a1',
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a2',
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a3',
  ];
  const [crashed, cut, fresh] = ids as [string, string, string];
  const hour = 3_600_000;
  const announce = (which: string, due: number) =>
    api.sql`insert into loose_files (id, due) values (${which}, ${new Date(Date.now() + due)})`;
  await announce(crashed, -hour);
  await storage.write(crashed, aPng);
  await announce(cut, -hour);
  await mkdir(path.join(dataDir, 'uploads', 'a2'), { recursive: true });
  await writeFile(path.join(dataDir, 'uploads', 'a2', `${cut}.webp.part`), 'half');
  await announce(fresh, hour);
  await storage.write(fresh, aPng);
  assert.equal((await files()).length, before.length + 3);
  await sweepFiles(api.sql, storage, new Date());
  assert.deepEqual(await files(), [...before, `${fresh}.webp`].sort());
  assert.deepEqual(
    (await api.sql`select id from loose_files`).map((row) => row.id),
    [fresh],
  );
  await sweepFiles(api.sql, storage, new Date(Date.now() + 2 * hour));
  assert.deepEqual(await files(), before);
  assert.ok(before.includes(`${id}.webp`));
});

test('sweep: what could not be deleted is left for the next time', async () => {
  const person = await aUser(api);
  const { id } = await anUpload(api, person);
  await api.sql`update upload_usage set bytes = 0 where user_id = ${person.id}`;
  await api.sql`with gone as (delete from uploads where id = ${id} returning id)
    insert into loose_files (id, due) select id, now() from gone`;
  const real = openDirectory(path.join(dataDir, 'uploads'));
  const broken: Storage = { ...real, remove: () => Promise.reject(new Error('away')) };
  await assert.rejects(sweepFiles(api.sql, broken, new Date(Date.now() + 1_000)), /away/);
  assert.ok((await files()).includes(`${id}.webp`));
  await sweepFiles(api.sql, real, new Date(Date.now() + 1_000));
  assert.ok(!(await files()).includes(`${id}.webp`));
  assert.equal((await rowsOf())?.loose, 0);
});

test('account: with it go its images from table and storage, and nobody else’s', async () => {
  const [person, other] = [await aUser(api), await aUser(api)];
  const theirs = await anUpload(api, other);
  const before = await files();
  const made = await Promise.all(Array.from({ length: 5 }, () => anUpload(api, person)));
  expectStatus(await api.patch('/v1/me', person.token, { avatar: made[0]?.url }), 200);
  expectStatus(await deleteAccount(api, person), 200);
  assert.deepEqual(await files(), before);
  assert.equal((await rowsOf())?.loose, 0);
  for (const { url } of made.slice(0, 3)) assert.equal(await statusOf(url, second), 404);
  assert.equal(await statusOf(theirs.url), 200);
  await assertCounters(api.sql);
});

test('race: of 120 uploads at once on two servers exactly 100 are kept; the rest is a 429 and leaves nothing', async () => {
  const person = await aUser(api);
  const before = await files();
  const statuses: number[] = [];
  const send = async (on: TestApp) => {
    for (let i = 0; i < 12; i++) statuses.push((await upload(person, aPng, 'image/png', on)).status);
  };
  await Promise.all(Array.from({ length: 10 }, (_, i) => send(i % 2 ? api : second)));
  assert.deepEqual(
    [statuses.filter((s) => s === 201).length, statuses.filter((s) => s === 429).length],
    [100, 20],
  );
  assert.equal((await files()).length, before.length + 100);
  assert.equal((await rowsOf())?.loose, 0);
  await assertCounters(api.sql);
});

test('race: uploads, avatars and deletions while the account goes: no 5xx, and neither rows nor files stay', async () => {
  const person = await aUser(api);
  const before = [await rowsOf(), await files()];
  const statuses = new Set<number>();
  let isOver = false;
  const busy = async (on: TestApp) => {
    while (!isOver) {
      const { status, body } = await upload(person, aPng, 'image/png', on);
      statuses.add(status);
      if (status !== 201) continue;
      const avatar = on.patch('/v1/me', person.token, { avatar: body.url });
      const gone = Math.random() < 0.5 && second.delete(`/v1/uploads/${body.id}`, person.token);
      for (const answer of await Promise.all([avatar, gone])) if (answer) statuses.add(answer.status);
    }
  };
  const all = Promise.all([busy(api), busy(second), busy(api)]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expectStatus(await deleteAccount(second, person), 200);
  await new Promise((resolve) => setTimeout(resolve, 100));
  isOver = true;
  await all;
  assert.deepEqual(
    [...statuses].filter((status) => ![200, 201, 400, 401, 404].includes(status)),
    [],
  );
  assert.deepEqual([await rowsOf(), await files()], before);
  await assertCounters(api.sql);
});

test('bucket: images go there signed, come from there, and are deleted there; what fails is a 503 and swept up later', async () => {
  const stub = await s3Stub();
  const env = {
    S3_BUCKET: 'pictures',
    S3_REGION: 'eu-north-1',
    S3_ENDPOINT: stub.url,
    S3_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    S3_SECRET_ACCESS_KEY: 'not-really-secret',
  };
  const remote = await testApp({ env });
  const person = await aUser(remote);
  const { id, url, bytes } = await anUpload(remote, person);
  const key = `/pictures/uploads/${id}.webp`;
  assert.deepEqual([...stub.objects.keys()], [key]);
  const response = await fetch(remote.url + new URL(url).pathname);
  const image = Buffer.from(await response.arrayBuffer());
  assert.deepEqual(
    [response.status, image.length, image.equals(stub.objects.get(key) ?? aPng)],
    [200, bytes, true],
  );
  expectStatus(await remote.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.deepEqual([stub.objects.size, (await rowsOf(remote))?.loose], [0, 0]);

  const kept = await anUpload(remote, person);
  stub.setAway(true);
  expectProblem(await upload(person, aPng, 'image/png', remote), 503, 'storage_unavailable');
  assert.equal(await statusOf(kept.url, remote), 503);
  expectStatus(await remote.delete(`/v1/uploads/${kept.id}`, person.token), 200);
  assert.equal(await statusOf(kept.url, remote), 404);
  assert.deepEqual([stub.objects.size, (await rowsOf(remote))?.loose], [1, 2]);
  stub.setAway(false);
  await sweepFiles(remote.sql, openStorage(readConfig(env)), new Date());
  assert.deepEqual([stub.objects.size, (await rowsOf(remote))?.loose], [0, 0]);

  const lost = await anUpload(remote, person);
  stub.objects.clear();
  assert.equal(await statusOf(lost.url, remote), 404);
  assert.ok(stub.seen.some((line) => line.startsWith('GET ')));
});
