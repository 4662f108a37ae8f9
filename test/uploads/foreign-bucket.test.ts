/**
 * Images in a server of S3 that others wrote: s3rver answers in the XML of S3, but accepts any signature. `.ci/run` installs
 * it: with its dependencies it has 117 packages and 14 MB, which nothing else needs.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test, { type TestContext } from 'node:test';
import { createUpload, createUser, onePixelPng } from '../support/factories.ts';
import { s3Env } from '../support/s3-stub.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { upload } from '../support/upload-helpers.ts';

type S3rver = { run(): Promise<{ port: number }>; close(): Promise<void> };
type Options = { port: number; directory: string; silent: boolean; configureBuckets: { name: string }[] };

const directory = path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 's3rver', 'x.js');
const S3rver = load();
const skip = S3rver
  ? false
  : 's3rver is missing: npm install --prefix node_modules/.cache/s3rver s3rver@3.7.1';
/** The only ones that s3rver knows. */
const keys = { S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' };

function load(): (new (options: Options) => S3rver) | null {
  try {
    return createRequire(directory)('s3rver');
  } catch {
    return null;
  }
}

/** @returns the variables of a server whose bucket is there */
async function startBucket(t: TestContext): Promise<Record<string, string>> {
  assert.ok(S3rver);
  const root = await mkdtemp(path.join(os.tmpdir(), 'potluck-s3-'));
  const server = new S3rver({
    port: 0,
    directory: root,
    silent: true,
    configureBuckets: [{ name: 'potluck' }],
  });
  const { port } = await server.run();
  t.after(async () => {
    await server.close();
    await rm(root, { recursive: true });
  });
  return { ...s3Env(`http://127.0.0.1:${port}`), ...keys };
}

test('bucket of s3rver: an image is stored, served with the same bytes, and deleted: 404', {
  skip,
}, async (t) => {
  const api = await startTestApp({ env: await startBucket(t) });
  const person = await createUser(api);
  const { id, url, bytes } = await createUpload(api, person);
  const get = () => fetch(api.url + new URL(url).pathname);
  const response = await get();
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/webp']);
  assert.equal((await response.arrayBuffer()).byteLength, bytes);
  expectStatus(await api.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.equal((await get()).status, 404);
});

test('bucket of s3rver: 503 storage_unavailable for a bucket that does not exist', { skip }, async (t) => {
  const api = await startTestApp({ env: { ...(await startBucket(t)), S3_BUCKET: 'none' } });
  expectProblem(await upload(api, await createUser(api), onePixelPng), 503, 'storage_unavailable');
});
