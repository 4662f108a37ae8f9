/** The build of the gazetteer, with a few towns, in a directory that has nothing but the declared inputs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { inputs } from './build-gazetteer.ts';
import { columnSeparator } from './cities.ts';
import { Gazetteer } from './gazetteer.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const copy = await mkdtemp(path.join(os.tmpdir(), 'potluck-gazetteer-'));
after(() => rm(copy, { recursive: true }));
const inCopy = (file: string) => path.join(copy, path.relative(root, file));
for (const input of [...inputs, path.join(root, 'package.json')]) await cp(input, inCopy(input));
const places = inCopy(import.meta.dirname);

/** Writes the towns as those of the world. */
async function writeTowns(...names: string[]): Promise<void> {
  const all = (value: string) => names.map(() => value).join('\n');
  const source = JSON.stringify({ names: '2026-01-02', populations: '2026-01-01' });
  const columns = [names.join('\n'), all('SE'), all(''), all('90000'), all('5570000'), all('1319000')];
  const text = [source, ...columns, all(''), all('')].join(columnSeparator);
  await writeFile(path.join(places, 'cities.br'), brotliCompressSync(text));
}
await writeTowns('Lund');

const program = path.join(places, 'build-gazetteer.ts');
const build = () => promisify(execFile)(process.execPath, [program]);
const { isGazetteerCurrent }: typeof import('./build-gazetteer.ts') = await import(program);
const file: typeof import('./gazetteer-file.ts') = await import(path.join(places, 'gazetteer-file.ts'));

test('gazetteer: the file has what was packed; reading it fails before it is built', async () => {
  await assert.rejects(file.readGazetteerFile(), { code: 'ENOENT' });
  await build();
  const gazetteer = new Gazetteer(await file.readGazetteerFile());
  const lund = { name: 'Lund', country: 'SE', lat: 55.7, lng: 13.19, population: 90_000 };
  assert.deepEqual(gazetteer.named('lund'), [lund]);
  assert.deepEqual(gazetteer.nearest({ lat: 55.6, lng: 13 }), lund);
  assert.deepEqual(gazetteer.source, { names: '2026-01-02', populations: '2026-01-01' });
});

test('gazetteer: it is current until the towns, their other names or the code that packs them change', async () => {
  await build();
  assert.equal(isGazetteerCurrent(), true);
  await writeTowns('Lund', 'Malmö');
  assert.equal(isGazetteerCurrent(), false);
  await build();
  assert.equal(isGazetteerCurrent(), true);
  assert.equal(new Gazetteer(await file.readGazetteerFile()).named('malmo').length, 1);
  for (const input of ['place-names.json', 'names.ts']) {
    await appendFile(path.join(places, input), '\n');
    assert.equal(isGazetteerCurrent(), false, input);
    await build();
    assert.equal(isGazetteerCurrent(), true, input);
  }
  await rm(path.join(places, 'gazetteer.bin'));
  assert.equal(isGazetteerCurrent(), false);
});
