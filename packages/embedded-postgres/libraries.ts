/** The libraries that the package of PostgreSQL contains. npm does not know them, and no update of a system renews them. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** `version`: null if the file does not say it. */
export type NativeLibrary = { name: string; version: string | null };

type Known = { name: string; file: RegExp; text?: RegExp };

/** `file` matches the name of a file, and `text` what the file contains; a group of one of them is the version. */
const known: Known[] = [
  { name: 'OpenSSL', file: /^libcrypto[.\d]*\.(?:so|dylib)/, text: /OpenSSL (\d+\.\d+\.\d+[a-z]?) / },
  { name: 'ICU', file: /^libicuuc\.(?:so\.)?(\d+\.\d+)/ },
  { name: 'zlib', file: /^libz\./, text: / deflate (\d+(?:\.\d+)+) / },
  { name: 'liblzma', file: /^liblzma\./, text: /\0(\d+\.\d+\.\d+)\0/ },
  { name: 'OSSP uuid', file: /^libossp-uuid\./, text: /OSSP uuid (\d+\.\d+\.\d+) / },
  { name: 'libxml2', file: /^libxml2\./ },
  { name: 'libxslt', file: /^libxslt\./ },
];

/** @param directory that `findBinaries` returns */
export async function listLibraries(directory: string): Promise<NativeLibrary[]> {
  const lib = path.join(directory, 'lib');
  const files = (await readdir(lib)).sort();
  const found = known.map(async ({ name, file, text }): Promise<NativeLibrary[]> => {
    const match = files.map((each) => file.exec(each)).findLast((each) => each !== null);
    if (!match) return [];
    if (!text) return [{ name, version: match[1] ?? null }];
    const content = await readFile(path.join(lib, match.input), 'latin1');
    return [{ name, version: text.exec(content)?.[1] ?? null }];
  });
  return (await Promise.all(found)).flat();
}
