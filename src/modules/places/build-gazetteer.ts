/** Builds the file that the server loads from cities.br and place-names.json. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readCities } from './cities.ts';
import { packCities } from './gazetteer-data.ts';
import { readInputsOfFile, writeGazetteerFile } from './gazetteer-file.ts';

/** What decides on the content of the file: the data, and the code that packs it. */
export const inputs = [
  ...['cities.br', 'place-names.json'],
  ...['build-gazetteer.ts', 'cities.ts', 'gazetteer-data.ts', 'gazetteer-file.ts', 'names.ts'],
  ...globSync('../../../packages/record-index/**/*.ts', {
    cwd: import.meta.dirname,
    exclude: ['**/*.test.ts'],
  }).sort(),
  ...['text.ts', 'user-texts/normalize.ts'].map((file) => `../../lib/${file}`),
].map((file) => path.join(import.meta.dirname, file));

function hashInputs(): string {
  // The version of Unicode decides which letters are equal.
  const hash = createHash('sha256').update(process.versions.unicode ?? '');
  for (const file of inputs) hash.update(readFileSync(file));
  return hash.digest('hex');
}

export const isGazetteerCurrent = (): boolean => readInputsOfFile() === hashInputs();

export const buildGazetteer = (): void => writeGazetteerFile(packCities(readCities()), hashInputs());

if (import.meta.main) buildGazetteer();
