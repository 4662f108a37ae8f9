/** Builds the pages, after the client that they use. Without changes since the last build, it does nothing. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildClient, hashFiles, listFiles } from '../client/build.ts';
import { compileMessages } from './compile-messages.ts';

const web = import.meta.dirname;
const root = path.join(web, '..');
const vite = path.join(root, 'node_modules', 'vite', 'bin', 'vite.js');
const mapData = path.join(web, 'map-data.ts');
/** Holds the hash of the inputs of the last build. */
const stamp = path.join(web, 'build', '.inputs');

const generated = ['src/lib/messages', 'static/map'].map((folder) => path.join(web, folder) + path.sep);

const run = promisify(execFile);

export async function buildWeb(): Promise<void> {
  await buildClient();
  const inputs = await hashInputs();
  if (inputs === (await readFile(stamp, 'utf8').catch(() => null))) return;
  await compileMessages();
  // In a process of its own, whose memory is free before Vite needs as much.
  await run(process.execPath, [mapData]);
  const env = { ...process.env, WEB_VERSION: inputs.slice(0, 16) };
  await run(process.execPath, [vite, 'build'], { cwd: web, env, maxBuffer: 64 * 1024 * 1024 });
  await writeFile(stamp, inputs);
}

/** A hash of every file that the build depends on: this package, the built client, and the installed versions. */
async function hashInputs(): Promise<string> {
  return hashFiles([
    path.join(root, 'package-lock.json'),
    path.join(root, 'client', 'dist', '.inputs'),
    ...[
      'adapter.ts',
      'base-map.ts',
      'build.ts',
      'check-messages.ts',
      'compile-messages.ts',
      'map-data.ts',
      'natural-earth.ts',
      'package.json',
      'pmtiles-file.ts',
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

if (import.meta.main) await buildWeb();
