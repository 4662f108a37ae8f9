/** The embedded database and a newer version: the backup before the migration, and the way back. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { newestVersion } from '../../src/schema/migrate.ts';
import { createNewerVersion } from '../support/newer-version.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  potluck,
  type Server,
  sendRequest,
  serve,
  signIn,
  stop,
} from '../support/processes.ts';
import { skipsEmbedded } from '../support/test-database.ts';

cleanUpAfterTests();

const newer = path.join(await createTempDir(), 'newer');
await createNewerVersion(newer);
const program = path.join(newer, 'bin', 'potluck.js');
const next = (await newestVersion()) + 1;
const fileOf = (version: number) => `before-migration-${`${version}`.padStart(4, '0')}.tar`;
const wasMigrated = `Applied 1 migration; the database is at version ${next}.\n`;

async function run(args: string[], options: Parameters<typeof potluck>[1]) {
  const { ended, output } = potluck(args, options);
  return { code: await ended, ...output };
}

const signedIn = async (server: Server): Promise<string | undefined> =>
  (await sendRequest(server, 'GET', '/v1/auth/me', await signIn(server))).body.id;

/** A data directory in which one person, `id`, has an account. */
async function createData(): Promise<{ DATA_DIR: string; id: string | undefined }> {
  const DATA_DIR = await createTempDir();
  const server = await serve({ env: { DATA_DIR } });
  const id = await signedIn(server);
  assert.equal(await stop(server, 'SIGTERM'), 0);
  return { DATA_DIR, id };
}

/** Lets the process find 4 KB of free space. */
const fullDisk = `import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  fs.promises.statfs = async () => ({ bavail: 1, bsize: 4096 });
  syncBuiltinESMExports();`;

describe('backup before a migration', { skip: skipsEmbedded }, () => {
  test('a newer version backs the database up, keeps the newest three; this version refuses the database and restores the backup', async () => {
    const { DATA_DIR, id } = await createData();
    const backups = path.join(DATA_DIR, 'backups');
    await mkdir(backups);
    // In the order of their time, as after a return to an older backup.
    const older = ['mine.tar', ...[9997, 9999, 9998].map(fileOf)];
    for (const [i, name] of older.entries()) {
      await writeFile(path.join(backups, name), '');
      await utimes(path.join(backups, name), i, i);
    }

    const file = path.join(backups, fileOf(next));
    const upgraded = await serve({ program, env: { DATA_DIR } });
    assert.equal(await stop(upgraded, 'SIGTERM'), 0);
    const logged = new RegExp(`the database was backed up before its migration\\s+backup: "${file}"`);
    assert.match(upgraded.output.out, logged);
    const expected = [...[next, 9998, 9999].map(fileOf), 'mine.tar'];
    assert.deepEqual((await readdir(backups)).sort(), expected);
    const again = await run(['migrate'], { program, env: { DATA_DIR } });
    assert.match(again.out, /^The database is up to date/);

    for (const command of ['serve', 'migrate']) {
      const { code, err } = await run([command], { env: { DATA_DIR, PORT: '0' } });
      assert.deepEqual(
        [code, err],
        [
          1,
          `The database in DATA_DIR cannot be used: it is at migration ${next}, and this Potluck has migrations up to ` +
            `${next - 1} only; update it first.\n`,
        ],
      );
    }
    await rename(path.join(DATA_DIR, 'postgres'), path.join(DATA_DIR, 'aside'));
    const restored = await run(['restore', file], { env: { DATA_DIR } });
    assert.deepEqual([restored.code, restored.err], [0, '']);
    const server = await serve({ env: { DATA_DIR } });
    assert.equal(await signedIn(server), id);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    const migrated = await run(['migrate'], { program, env: { DATA_DIR } });
    assert.equal(migrated.out, `The backup before the migration is ${file}.\n${wasMigrated}`);
  });

  test('without room for the backup, nothing is migrated; MIGRATION_BACKUP=off migrates without one', async () => {
    const { DATA_DIR } = await createData();
    const preload = `--import=data:text/javascript,${encodeURIComponent(fullDisk)}`;
    const refused = await run(['migrate'], { program, env: { DATA_DIR, NODE_OPTIONS: preload } });
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(
      refused.err,
      /^The database was not migrated: the backup before it may need \d+ MB in .+backups, and 1 MB are free\. .+\n$/,
    );
    assert.deepEqual(await readdir(path.join(DATA_DIR, 'backups')), []);
    const server = await serve({ env: { DATA_DIR } });
    assert.equal(await stop(server, 'SIGTERM'), 0);
    const env = { DATA_DIR, NODE_OPTIONS: preload, MIGRATION_BACKUP: 'off' };
    assert.deepEqual(await run(['migrate'], { program, env }), { code: 0, out: wasMigrated, err: '' });
    assert.deepEqual(await readdir(path.join(DATA_DIR, 'backups')), []);
  });
});
