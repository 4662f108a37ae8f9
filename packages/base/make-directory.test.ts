import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { makeDirectory } from './make-directory.ts';

const tempDir = await mkdtemp(path.join(os.tmpdir(), 'potluck-directory-'));
after(() => rm(tempDir, { recursive: true }));

test('makeDirectory: concurrent calls for directories with the same new parents succeed', async () => {
  for (let round = 0; round < 50; round++) {
    const parent = path.join(tempDir, `${round}`, 'a', 'b');
    const directories = Array.from({ length: 12 }, (_, i) => path.join(parent, `${i % 4}`));
    await Promise.all(directories.map(makeDirectory));
    for (const directory of directories) assert.ok((await stat(directory)).isDirectory());
  }
});

test('makeDirectory: EEXIST if a file has the name', async () => {
  const file = path.join(tempDir, 'file');
  await writeFile(file, '');
  await assert.rejects(makeDirectory(file), { code: 'EEXIST' });
  await assert.rejects(makeDirectory(path.join(file, 'deeper')), { code: 'ENOTDIR' });
});
