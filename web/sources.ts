/** The hash by which web/build.ts and the server know whether the built pages are current. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { clientStamp, hashFiles, listFiles } from '../client/build.ts';

const web = import.meta.dirname;
const root = path.join(web, '..');

const generated = ['src/lib/generated', 'src/lib/messages', 'static/map'].map(
  (folder) => path.join(web, folder) + path.sep,
);

/**
 * A hash of every file that the build depends on: this package, the built client, and the installed versions.
 * @throws if one of them is missing
 */
export async function hashPageSources(): Promise<string> {
  return hashFiles([
    path.join(root, 'package-lock.json'),
    clientStamp,
    ...['package.json', 'LICENSE-protomaps'].map((file) => path.join(web, file)),
    ...(await listPrograms()),
    ...(await listInputs('messages')),
    ...(await listInputs('static')),
    ...(await listInputs('src')),
    // What the pages and the programs import of the server.
    ...(await listFiles(path.join(root, 'src', 'lib', 'user-texts'))),
    ...(await listFiles(path.join(root, 'src', 'modules', 'events', 'covers'))),
    ...['cities.ts', 'cities.br'].map((file) => path.join(root, 'src', 'modules', 'places', file)),
    path.join(root, 'src', 'lib', 'currencies.ts'),
    path.join(root, 'src', 'outbox', 'kinds.ts'),
    path.join(root, 'src', 'lib', 'pmtiles-file.ts'),
  ]);
}

/** The programs of the build: files in this folder, among which the configuration of the tests is no program. */
async function listPrograms(): Promise<string[]> {
  const names = (await readdir(web)).filter(
    (name) => name.endsWith('.ts') && name !== 'playwright.config.ts',
  );
  return names.sort().map((name) => path.join(web, name));
}

/** Generated files are no inputs. */
async function listInputs(folder: string): Promise<string[]> {
  const files = await listFiles(path.join(web, folder));
  return files.filter((file) => !generated.some((directory) => file.startsWith(directory)));
}
