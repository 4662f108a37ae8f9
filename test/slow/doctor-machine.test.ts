/** The command `doctor`: the files and the disk of the machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { nameOfBackup } from '../../src/lib/backup-files.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { cleanUpAfterTests, createTempDir } from '../support/processes.ts';
import { doctor, secrets } from './doctor-runs.ts';

cleanUpAfterTests();

const run = promisify(execFile);

/** With this address, `doctor` starts no embedded database. */
async function withoutDatabase() {
  const [port] = await findFreePorts(1);
  return { DATABASE_URL: `postgres://127.0.0.1:${port}/none` };
}

describe('doctor of a machine', { concurrency: 2 }, () => {
  test('secret files: a warning for .env, the key and the DKIM key that every user can read', async () => {
    const [DATA_DIR, cwd] = [await createTempDir(), await createTempDir()];
    const files = [path.join(cwd, '.env'), path.join(DATA_DIR, 'secret-key')];
    const [dotEnv = '', key = ''] = files;
    await writeFile(dotEnv, `SECRET_KEY=${secrets.key}\n`);
    await writeFile(key, secrets.key);
    const env = { DATA_DIR, ...(await withoutDatabase()) };
    const open = (await doctor(env, { cwd })).of('secret files');
    assert.deepEqual(
      open,
      files.map(
        (file) =>
          `warning Every user of this machine can read ${file}, which has a secret (mode 644). | Run: chmod o-rwx ${file}`,
      ),
    );
    for (const file of files) await chmod(file, 0o640);
    assert.match((await doctor(env, { cwd })).of('secret files')[0] ?? '', /^good /);
    await writeFile(dotEnv, 'LOG_LEVEL=warn\n');
    await chmod(dotEnv, 0o644);
    assert.match((await doctor(env, { cwd })).of('secret files')[0] ?? '', /^good /);
  });

  test('disk: broken on a disk that is almost full, and where DATA_DIR is a file', async (t) => {
    const file = path.join(await createTempDir(), 'file');
    await writeFile(file, '');
    const blocked = await doctor({ DATA_DIR: file, ...(await withoutDatabase()) });
    assert.match(blocked.of('disk').join('\n'), /broken .*file is not a directory\./);
    const full = path.join(await createTempDir(), 'full');
    await mkdir(full);
    const isMounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'none', full]).catch(() => null);
    if (!isMounted) return t.diagnostic('no file system can be mounted here: the small disk was left out');
    after(async () => {
      await run('umount', [full]);
      await rm(full, { recursive: true });
    });
    const { broken, of } = await doctor({ DATA_DIR: full, ...(await withoutDatabase()) });
    assert.ok(broken.includes('disk'));
    assert.match(of('disk')[0] ?? '', /^broken 20 MiB .* Below 48 MiB, writes are refused\. \| Free space/);
  });

  test('backups: not examined without BACKUP_DIR; then broken, a warning or good by the newest file in the directory', async () => {
    const env = { DATA_DIR: await createTempDir(), ...(await withoutDatabase()) };
    assert.match((await doctor(env)).of('backups')[0] ?? '', /^skipped Servers make no backups/);
    const missing = await doctor({ ...env, BACKUP_DIR: path.join(env.DATA_DIR, 'none') });
    assert.match(
      missing.of('backups')[0] ?? '',
      /^broken Backups cannot be written to .* \| Create the directory/,
    );
    const BACKUP_DIR = await createTempDir();
    const inDirectory = async () => (await doctor({ ...env, BACKUP_DIR })).of('backups')[0] ?? '';
    assert.match(await inDirectory(), /^warning There is no backup in /);
    const write = (hoursAgo: number) =>
      writeFile(
        path.join(BACKUP_DIR, nameOfBackup(new Date(Date.now() - hoursAgo * 3_600_000))),
        'database.sql.gz\0',
      );
    await write(27);
    assert.match(await inDirectory(), /^warning The newest backup .* It is 27 hours old\. \| Look for /);
    await write(25);
    assert.match(await inDirectory(), /^good The newest backup in .* is potluck-.*Z\.tar, of 16 bytes\./);
  });
});
