/** Backups with images: in a directory and in a bucket, damaged ones, and what a restore would do. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { imageName } from '../../src/cli/backup/archive.ts';
import { writeBackup } from '../../src/cli/backup/write-backup.ts';
import { openDirectory } from '../../src/modules/uploads/storage.ts';
import { countTables, forgeBackup, namesIn, readImages } from '../support/backup-files.ts';
import { createUpload, createUser } from '../support/factories.ts';
import { cleanUpAfterTests, createTempDir, potluck } from '../support/processes.ts';
import { s3Env, s3Stub } from '../support/s3-stub.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';
import { createEmptyDatabase } from '../support/test-database.ts';

cleanUpAfterTests();

const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-backup-'));
after(() => rm(directory, { recursive: true, force: true }));
const fileFor = (name: string) => path.join(directory, name);
const SECRET_KEY = 'the-key-of-the-tests-is-long-enough';

const dataDir = await createTempDir();
const api = await startTestApp({ env: { DATA_DIR: dataDir } });
const person = await createUser(api);
const storageIn = (dataDir: string) => openDirectory(path.join(dataDir, 'uploads'));
const source = { target: api.target, storage: storageIn(dataDir) };

async function run(args: string[], env: Record<string, string>) {
  const { ended, output } = potluck(args, { env: { SECRET_KEY, ...env } });
  return { code: await ended, ...output };
}

const ids: string[] = [];
for (let n = 0; n < 3; n++) ids.push((await createUpload(api, person)).id);

test('images: a backup has those of the directory, other programs can check it, and a server shows them after a restore', async () => {
  const file = fileFor('local.tar');
  const saved = await run(['backup', file], { DATABASE_URL: api.target, DATA_DIR: dataDir });
  assert.equal(saved.code, 0, saved.err);
  assert.match(saved.out, /rows of \d+ tables, and 3 images of /);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const names = ['database.sql.gz', ...ids.toSorted().map(imageName), 'manifest.json'];
  assert.deepEqual(await namesIn(file), [...names, 'checksums/0001.sha256']);
  const unpacked = fileFor('unpacked');
  await mkdir(unpacked);
  execFileSync('tar', ['-xf', file, '-C', unpacked]);
  execFileSync('sha256sum', ['--check', '--strict', 'checksums/0001.sha256'], { cwd: unpacked });

  const [restoredDir, target] = [await createTempDir(), await createEmptyDatabase()];
  const restored = await run(['restore', file], { DATABASE_URL: target, DATA_DIR: restoredDir });
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.out, /and 3 images of .* were restored/);
  assert.deepEqual(await readImages(restoredDir), await readImages(dataDir));
  const again = await startTestApp({ sql: connectSql(target), env: { DATA_DIR: restoredDir } });
  for (const id of ids) expectStatus(await again.get(`/v1/uploads/${id}.webp`), 200);
});

test('images: a backup reads a bucket, and a restore writes one', async () => {
  const [from, to] = [await s3Stub(), await s3Stub()];
  const withBucket = await startTestApp({ env: s3Env(from.url) });
  const owner = await createUser(withBucket);
  for (let n = 0; n < 10; n++) await createUpload(withBucket, owner);
  const file = fileFor('bucket.tar');
  const DATA_DIR = await createTempDir();
  const saved = await run(['backup', file], {
    DATABASE_URL: withBucket.target,
    DATA_DIR,
    ...s3Env(from.url),
  });
  assert.match(saved.out, /and 10 images of /, saved.err);
  const target = await createEmptyDatabase();
  const restored = await run(['restore', file], { DATABASE_URL: target, DATA_DIR, ...s3Env(to.url) });
  assert.equal(restored.code, 0, restored.err);
  assert.deepEqual([...to.objects].sort(), [...from.objects].sort());
  assert.deepEqual(await readImages(DATA_DIR), {});

  from.setFailing(true);
  const failed = await run(['backup', fileFor('failed.tar')], {
    DATABASE_URL: withBucket.target,
    DATA_DIR,
    ...s3Env(from.url),
  });
  assert.equal(failed.code, 1);
  assert.match(failed.err, /^The image [\w-]+ cannot be read from the bucket potluck: [^\n]+\n$/);
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.startsWith('failed')),
    [],
  );
});

test('verify: a flipped bit is found, and the damaged file in the backup is named', async () => {
  const file = fileFor('flipped.tar');
  await writeBackup(source, file);
  const bytes = await readFile(file);
  const damaged = fileFor('damaged.tar');
  const flip = async (at: number) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 0x10;
    await writeFile(damaged, copy);
  };
  const image = imageName(ids[0] ?? '');
  for (const [name, message] of [
    ['database.sql.gz', /^[^\n]*: database\.sql\.gz is [^\n]+\.\n$/],
    [image, new RegExp(`^[^\\n]*: ${image} is damaged\\.\\n$`)],
    ['manifest.json', /^[^\n]*manifest\.json is damaged\.\n$|^[^\n]*is damaged, or is not a backup\.\n$/],
  ] as const) {
    await flip(bytes.indexOf(name) + 512 + 10);
    const { code, err } = await run(['backup', '--verify', damaged], { DATA_DIR: dataDir });
    assert.equal(code, 1, name);
    assert.match(err, message);
  }
});

test('verify: restores into a temporary database that it removes, and leaves DATA_DIR unchanged', async () => {
  const file = fileFor('verified.tar');
  await writeBackup(source, file);
  const [TMPDIR, DATA_DIR] = [await createTempDir(), path.join(await createTempDir(), 'none')];
  const { code, out, err } = await run(['backup', '--verify', file], { DATA_DIR, TMPDIR });
  assert.equal(code, 0, err);
  assert.match(out, /is complete: \d+ rows of \d+ tables, and 3 images of .* temporary database/);
  assert.deepEqual(await readdir(TMPDIR), []);
  await assert.rejects(stat(DATA_DIR));
});

test('verify: names each table whose rows differ from the manifest', async () => {
  const file = fileFor('unequal.tar');
  await writeBackup(source, file);
  const forged = await forgeBackup(file, ({ database }) => {
    for (const name of ['uploads', 'users']) (database.tables[name] as { checksum: number }).checksum++;
  });
  const { code, err } = await run(['backup', '--verify', forged], { DATA_DIR: dataDir });
  assert.equal(code, 1);
  assert.deepEqual(err.trim().split('\n').sort(), [
    'The rows of uploads are not those of the backup after a restore.',
    'The rows of users are not those of the backup after a restore.',
  ]);
});

test('dry run: says what a restore would do, and changes nothing', async () => {
  const file = fileFor('dry.tar');
  await writeBackup(source, file);
  const before = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const [target, parent] = [await createEmptyDatabase(), await createTempDir()];
  const DATA_DIR = path.join(parent, 'data');
  const external = await run(['restore', '--dry-run', file], { DATABASE_URL: target, DATA_DIR });
  assert.equal(external.code, 0, external.err);
  for (const sentence of [
    /^It has \d+ rows of \d+ tables, and 3 images of [\d.]+ \w+\.$/m,
    /^The database at DATABASE_URL is empty\.$/m,
    /^Its schema would be that of migration \d+; the backup has that of \d+\.$/m,
    /^The images would be written to the directory .*uploads\.$/m,
    /^About .* are needed on the disk of .*, which has .* free\.$/m,
    /^Nothing was changed\.$/m,
  ])
    assert.match(external.out, sentence);
  assert.equal(await countTables(target), 0);
  const embedded = await run(['restore', '--dry-run', file], { DATA_DIR });
  assert.match(embedded.out, /^There is no database in .*: a restore creates it\.$/m);
  assert.deepEqual(await readdir(parent), []);
  const full = await run(['restore', '--dry-run', file], { DATABASE_URL: api.target, DATA_DIR });
  assert.equal(full.code, 1);
  assert.match(full.err, /^The database is not empty: there are rows in \w+\. [^\n]*\n$/);
  assert.equal(
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
    before,
  );
});
