/** The storage of images on disk and in S3, and the removal of deleted images. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { openDirectory, openStorage, type Storage } from '../../src/modules/uploads/storage.ts';
import { sweepFiles } from '../../src/modules/uploads/sweep.ts';
import { countValues } from '../../torture/counts.ts';
import { often } from '../support/all-cases.ts';
import { createUpload, createUser, deleteAccount, onePixelPng } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { s3Env, s3Stub } from '../support/s3-stub.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import { countUploadRows, listFiles, upload } from '../support/upload-helpers.ts';

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-uploads-'));
after(() => rm(dataDir, { recursive: true, force: true }));
const api = await startTestApp({ env: { DATA_DIR: dataDir } });
const second = await api.startAnother();

const statusOf = async (url: string, on = api) => {
  const response = await fetch(on.url + new URL(url).pathname);
  if (response.status !== 200) assert.equal(response.headers.get('cache-control'), 'no-store');
  await response.arrayBuffer();
  return response.status;
};
const files = () => listFiles(dataDir);

test('disk: one file for each row, and no file after deletion', async () => {
  const person = await createUser(api);
  const before = await files();
  const created = await Promise.all(Array.from({ length: 5 }, () => createUpload(api, person)));
  assert.deepEqual(await files(), [...before, ...created.map(({ id }) => `${id}.webp`)].sort());
  for (const { id } of created) expectStatus(await second.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.deepEqual(await files(), before);
  await assertCounters(api.sql);
});

test('disk: 503 storage_unavailable when the directory cannot be written or read; no row remains', async () => {
  const root = await mkdtemp(path.join(os.tmpdir(), 'potluck-uploads-'));
  after(() => rm(root, { recursive: true, force: true }));
  const broken = await startTestApp({ env: { DATA_DIR: root } });
  // A file blocks the path of the directory.
  await writeFile(path.join(root, 'uploads'), '');
  const person = await createUser(broken);
  expectProblem(await upload(broken, person, onePixelPng), 503, 'storage_unavailable');
  const { uploads, today } = await countUploadRows(broken);
  assert.deepEqual([uploads, today], [0, 0]);
  await rm(path.join(root, 'uploads'));
  await sweepFiles(broken.sql, openDirectory(path.join(root, 'uploads')), new Date(Date.now() + 660_000));
  assert.equal((await countUploadRows(broken)).loose, 0);
  const { url, id } = await createUpload(broken, person);
  await rm(path.join(root, 'uploads'), { recursive: true });
  assert.equal(await statusOf(url, broken), 404);
  await writeFile(path.join(root, 'uploads'), '');
  assert.equal(await statusOf(url, broken), 503);
  expectStatus(await broken.delete(`/v1/uploads/${id}`, person.token), 200);
});

test('sweep: deletes files of uploads that were not completed, keeps files of completed and current uploads', async () => {
  const person = await createUser(api);
  const storage = openDirectory(path.join(dataDir, 'uploads'));
  const { id } = await createUpload(api, person);
  const before = await files();
  const ids = [
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a1',
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a2',
    '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a3',
  ];
  const [crashed, truncated, fresh] = ids as [string, string, string];
  const hour = 3_600_000;
  const registerFile = (fileId: string, due: number) =>
    api.sql`insert into loose_files (id, due) values (${fileId}, ${new Date(Date.now() + due)})`;
  await registerFile(crashed, -hour);
  await storage.write(crashed, onePixelPng);
  await registerFile(truncated, -hour);
  await mkdir(path.join(dataDir, 'uploads', 'a2'), { recursive: true });
  await writeFile(path.join(dataDir, 'uploads', 'a2', `${truncated}.webp.part`), 'half');
  await registerFile(fresh, hour);
  await storage.write(fresh, onePixelPng);
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

test('sweep: a later sweep retries a file that could not be deleted', async () => {
  const person = await createUser(api);
  const { id } = await createUpload(api, person);
  await api.sql`update upload_usage set bytes = 0 where user_id = ${person.id}`;
  await api.sql`with gone as (delete from uploads where id = ${id} returning id)
    insert into loose_files (id, due) select id, now() from gone`;
  const real = openDirectory(path.join(dataDir, 'uploads'));
  const broken: Storage = { ...real, remove: () => Promise.reject(new Error('away')) };
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  await assert.rejects(sweepFiles(api.sql, broken, inMinutes(1)), /away/);
  // The retry is not due yet: this sweep skips the file.
  await sweepFiles(api.sql, real, inMinutes(1));
  assert.ok((await files()).includes(`${id}.webp`));
  await sweepFiles(api.sql, real, inMinutes(11));
  assert.ok(!(await files()).includes(`${id}.webp`));
  assert.equal((await countUploadRows(api)).loose, 0);
});

test('account deletion: removes the images of the account from table and storage, and no other images', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const otherUpload = await createUpload(api, other);
  const before = await files();
  const created = await Promise.all(Array.from({ length: 5 }, () => createUpload(api, person)));
  expectStatus(await api.patch('/v1/me', person.token, { avatar: created[0]?.url }), 200);
  expectStatus(await deleteAccount(api, person), 200);
  assert.deepEqual(await files(), before);
  assert.equal((await countUploadRows(api)).loose, 0);
  for (const { url } of created.slice(0, 3)) assert.equal(await statusOf(url, second), 404);
  assert.equal(await statusOf(otherUpload.url), 200);
  await assertCounters(api.sql);
});

// spec: 8 POST /v1/uploads: images: 100 per day and 1 GiB per person
test('race: of concurrent uploads on two servers 100 a day get 201 and are stored; more get 429 and leave no file', async () => {
  const person = await createUser(api);
  // The first upload of the day is made below.
  const left = often(99, 20);
  await createUpload(api, person);
  await api.sql`update upload_usage set today = ${100 - left} where user_id = ${person.id}`;
  const before = await files();
  const statuses: number[] = [];
  const send = async (server: TestApp) => {
    for (let i = 0; i < (left + 20) / 6; i++)
      statuses.push((await upload(server, person, onePixelPng)).status);
  };
  // The servers of a test share one queue of conversions, in which six images of a person may wait: an upload above that
  // gets a 503.
  await Promise.all(Array.from({ length: 6 }, (_, i) => send(i % 2 ? api : second)));
  assert.deepEqual(countValues(statuses), { 201: left, 429: 6 * Math.ceil((left + 20) / 6) - left });
  assert.equal((await files()).length, before.length + left);
  assert.equal((await countUploadRows(api)).loose, 0);
  await assertCounters(api.sql);
});

test('race: uploads, avatar changes and deletions during account deletion: no 5xx, and no rows or files remain', async () => {
  const person = await createUser(api);
  const before = [await countUploadRows(api), await files()];
  const statuses = new Set<number>();
  let isStopped = false;
  const sendUploads = async (server: TestApp) => {
    while (!isStopped) {
      const { status, body } = await upload(server, person, onePixelPng);
      statuses.add(status);
      if (status !== 201) continue;
      const avatar = server.patch('/v1/me', person.token, { avatar: body.url });
      const deletion = Math.random() < 0.5 && second.delete(`/v1/uploads/${body.id}`, person.token);
      for (const response of await Promise.all([avatar, deletion]))
        if (response) statuses.add(response.status);
    }
  };
  const senders = Promise.all([sendUploads(api), sendUploads(second), sendUploads(api)]);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expectStatus(await deleteAccount(second, person), 200);
  await new Promise((resolve) => setTimeout(resolve, 100));
  isStopped = true;
  await senders;
  assert.deepEqual(
    [...statuses].filter((status) => ![200, 201, 400, 401, 404].includes(status)),
    [],
  );
  assert.deepEqual([await countUploadRows(api), await files()], before);
  await assertCounters(api.sql);
});

test('bucket: images are stored, served and deleted with signed requests; 503 on failure, and a later sweep deletes the objects', async () => {
  const stub = await s3Stub();
  const remote = await startTestApp({ env: s3Env(stub.url) });
  const person = await createUser(remote);
  const { id, url, bytes } = await createUpload(remote, person);
  const key = `/potluck/uploads/${id}.webp`;
  assert.deepEqual([...stub.objects.keys()], [key]);
  const response = await fetch(remote.url + new URL(url).pathname);
  const image = Buffer.from(await response.arrayBuffer());
  assert.deepEqual(
    [response.status, image.length, image.equals(stub.objects.get(key) ?? onePixelPng)],
    [200, bytes, true],
  );
  expectStatus(await remote.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.deepEqual([stub.objects.size, (await countUploadRows(remote)).loose], [0, 0]);

  const stored = await createUpload(remote, person);
  stub.setFailing(true);
  expectProblem(await upload(remote, person, onePixelPng), 503, 'storage_unavailable');
  assert.equal(await statusOf(stored.url, remote), 503);
  expectStatus(await remote.delete(`/v1/uploads/${stored.id}`, person.token), 200);
  assert.equal(await statusOf(stored.url, remote), 404);
  assert.deepEqual([stub.objects.size, (await countUploadRows(remote)).loose], [1, 2]);
  stub.setFailing(false);
  await sweepFiles(remote.sql, openStorage(readConfig(s3Env(stub.url))), new Date(Date.now() + 660_000));
  assert.deepEqual([stub.objects.size, (await countUploadRows(remote)).loose], [0, 0]);

  const lost = await createUpload(remote, person);
  stub.objects.clear();
  assert.equal(await statusOf(lost.url, remote), 404);
  assert.ok(stub.requests.some((line) => line.startsWith('GET ')));
});
