import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { makeDirectory } from './lib/make-directory.ts';

const place = await mkdtemp(path.join(os.tmpdir(), 'potluck-directory-'));
after(() => rm(place, { recursive: true }));

test('directory: of many calls at once for directories with the same new parents, each succeeds', async () => {
  for (let round = 0; round < 50; round++) {
    const parent = path.join(place, `${round}`, 'a', 'b');
    const eventQuery = Array.from({ length: 12 }, (_, i) => path.join(parent, `${i % 4}`));
    await Promise.all(eventQuery.map(makeDirectory));
    for (const directory of eventQuery) assert.ok((await stat(directory)).isDirectory());
  }
});

test('directory: EEXIST where a file has the name', async () => {
  const file = path.join(place, 'file');
  await writeFile(file, '');
  await assert.rejects(makeDirectory(file), { code: 'EEXIST' });
  await assert.rejects(makeDirectory(path.join(file, 'deeper')), { code: 'ENOTDIR' });
});
