/** The command `doctor`: the files and the disk of the machine. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
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
});
