/** The hash by which web/build.ts and the server know whether the built pages are current. */
import path from 'node:path';
import { hashFiles, listFiles } from '../client/build.ts';

const web = import.meta.dirname;
const root = path.join(web, '..');

const generated = ['src/lib/messages', 'static/map'].map((folder) => path.join(web, folder) + path.sep);

/**
 * A hash of every file that the build depends on: this package, the built client, and the installed versions.
 * @throws if one of them is missing
 */
export async function hashPageSources(): Promise<string> {
  return hashFiles([
    path.join(root, 'package-lock.json'),
    path.join(root, 'client', 'dist', '.inputs'),
    ...[
      'adapter.ts',
      'api-reference.ts',
      'base-map.ts',
      'build.ts',
      'check-messages.ts',
      'compile-messages.ts',
      'map-data.ts',
      'natural-earth.ts',
      'package.json',
      'pmtiles-file.ts',
      'sources.ts',
      'vite.config.ts',
    ].map((file) => path.join(web, file)),
    ...(await listInputs('messages')),
    ...(await listInputs('static')),
    ...(await listInputs('src')),
  ]);
}

/** Generated files are no inputs. */
async function listInputs(folder: string): Promise<string[]> {
  const files = await listFiles(path.join(web, folder));
  return files.filter((file) => !generated.some((directory) => file.startsWith(directory)));
}
