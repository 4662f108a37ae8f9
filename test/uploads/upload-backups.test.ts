/** Backups with images: which images they have, and what a restore does with them. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { imageName } from '../../src/cli/backup/archive.ts';
import { describeMissing } from '../../src/cli/backup/manifest-text.ts';
import { checkBackup, restoreBackup } from '../../src/cli/backup/restore-backup.ts';
import { writeBackup } from '../../src/cli/backup/write-backup.ts';
import { openDirectory } from '../../src/modules/uploads/storage.ts';
import { areAllCases } from '../support/all-cases.ts';
import { countTables, forgeBackup, namesIn, readImages } from '../support/backup-files.ts';
import { createUpload, createUser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { openSql } from '../support/sql-tag.ts';
import { createEmptyDatabase } from '../support/test-database.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-backup-'));
after(() => rm(directory, { recursive: true, force: true }));
const fileFor = (name: string) => path.join(directory, name);
const storageIn = (dataDir: string) => openDirectory(path.join(dataDir, 'uploads'));

const dataDir = fileFor('data');
const api = await startTestApp({ env: { DATA_DIR: dataDir } });
const person = await createUser(api);
const source = { target: api.target, storage: storageIn(dataDir) };
const ids: string[] = [];
for (let n = 0; n < 3; n++) ids.push((await createUpload(api, person)).id);

test('backup: an image that is deleted after the snapshot is left out, and one without a file is lost', async () => {
  const other = await startTestApp({ env: { DATA_DIR: fileFor('other') } });
  const owner = await createUser(other);
  const otherDir = fileFor('again');
  const again = await other.startAnother({ env: { DATA_DIR: otherDir } });
  const [kept, deleted, lost] = [
    await createUpload(again, owner),
    await createUpload(again, owner),
    await createUpload(again, owner),
  ];
  const file = fileFor('missing.tar');
  const sql = await openSql(other.target, 'tests');
  await sql.begin(async (tx) => {
    const [row] = await tx<[{ snapshot: string }]>`select pg_export_snapshot() as snapshot`;
    expectStatus(await again.delete(`/v1/uploads/${deleted.id}`, owner.token), 200);
    await rm(path.join(otherDir, imageName(lost.id)));
    const storage = storageIn(otherDir);
    const { images } = await writeBackup({ target: other.target, storage }, file, { snapshot: row.snapshot });
    assert.deepEqual([images?.count, images?.deleted, images?.lost], [1, 1, 1]);
  }, 'isolation level repeatable read, read only');
  await sql.end();
  assert.ok((await namesIn(file)).includes(imageName(kept.id)));
  assert.deepEqual(describeMissing((await checkBackup(file)).manifest?.images ?? null), [
    '1 images were deleted while the backup was made, and are not in it.',
    '1 images have no file, and are not in the backup: their files were lost before.',
  ]);
});

test('backup: without images, it has the database alone', async () => {
  const file = fileFor('rows.tar');
  const { images } = await writeBackup({ target: api.target, storage: null }, file);
  assert.equal(images, null);
  assert.deepEqual(await namesIn(file), ['database.sql.gz', 'manifest.json', 'checksums/0001.sha256']);
  await checkBackup(file);
});

test('restore: one that fails between two images leaves an empty database, and the next one succeeds', async () => {
  const file = fileFor('interrupted.tar');
  await writeBackup(source, file);
  const [target, restoredDir] = [await createEmptyDatabase(), fileFor('restored')];
  const storage = storageIn(restoredDir);
  const failing = {
    ...storage,
    write: async (id: string, bytes: Buffer) => {
      if (id === ids.toSorted()[1]) throw new Error('no space left');
      await storage.write(id, bytes);
    },
  };
  await assert.rejects(restoreBackup({ target, storage: failing }, file), /cannot be written.*no space left/);
  assert.equal(await countTables(target), 0);
  assert.equal(Object.keys(await readImages(restoredDir)).length, 2);
  await restoreBackup({ target, storage }, file);
  assert.deepEqual(await readImages(restoredDir), await readImages(dataDir));
});

test('backup: each flipped bit makes a restore refuse the file', async () => {
  const file = fileFor('flipped.tar');
  await writeBackup(source, file);
  const bytes = await readFile(file);
  for (let at = 0; at < bytes.length; at += areAllCases ? 211 : 1_699) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await writeFile(fileFor('damaged.tar'), damaged);
    await assert.rejects(
      checkBackup(fileFor('damaged.tar')),
      (error: Error) => error.constructor.name === 'CommandError' && !error.message.includes('\n'),
      `byte ${at}`,
    );
  }
});

test('restore: an archive that lacks an image of its manifest is refused', async () => {
  const file = fileFor('lacking.tar');
  await writeBackup(source, file);
  const forged = await forgeBackup(file, (manifest) => {
    if (manifest.images) manifest.images.count++;
  });
  await assert.rejects(checkBackup(forged), /does not contain what its manifest\.json says/);
});
