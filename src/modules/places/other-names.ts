/**
 * Other names of towns, in many languages, from GeoNames: the package of cities has one name for each. The file has
 * normalized names; pack-other-names.ts wrote it.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

const file = new URL('./other-names.br', import.meta.url);

/** Reads the names by the id of the city in GeoNames. */
export function readOtherNames(): Map<number, string[]> {
  const lines = brotliDecompressSync(readFileSync(file)).toString().split('\n');
  return new Map(
    lines.map((line) => {
      const [id = '', ...names] = line.split('\t');
      return [Number(id), names];
    }),
  );
}
