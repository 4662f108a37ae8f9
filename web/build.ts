/**
 * Builds the towns and cities that the server loads, and the pages, after the client that they use. Without changes since
 * the last build, it does nothing.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildClient } from '../client/build.ts';
import { isGazetteerCurrent } from '../src/modules/places/build-gazetteer.ts';
import { compileMessages } from './compile-messages.ts';
import { writeFieldLimits } from './field-limits.ts';
import { writeLicenses } from './licenses.ts';
import { writeNotificationKinds } from './notification-kinds.ts';
import { hashPageSources } from './sources.ts';

const web = import.meta.dirname;
const vite = path.join(web, '..', 'node_modules', 'vite', 'bin', 'vite.js');
/** Holds the hash of the inputs of the last build. */
const stamp = path.join(web, 'build', '.inputs');

const gazetteer = path.join(web, '..', 'src', 'modules', 'places', 'build-gazetteer.ts');

const run = promisify(execFile);

/** In a process of its own, whose memory is free before Vite needs as much. It needs no development dependency. */
async function buildGazetteer(): Promise<void> {
  if (!isGazetteerCurrent()) await run(process.execPath, [gazetteer]);
}

export async function buildWeb(): Promise<void> {
  await buildGazetteer();
  await buildClient();
  const inputs = await hashPageSources();
  if (inputs === (await readFile(stamp, 'utf8').catch(() => null))) return;
  await compileMessages();
  await writeNotificationKinds();
  await writeFieldLimits();
  // In processes of their own, whose memory is free before Vite needs as much.
  await run(process.execPath, [path.join(web, 'map-data.ts')]);
  await rm(path.join(web, '.svelte-kit', 'packages'), { recursive: true, force: true });
  const env = { ...process.env, WEB_VERSION: inputs.slice(0, 16) };
  await run(process.execPath, [vite, 'build'], { cwd: web, env, maxBuffer: 64 * 1024 * 1024 });
  await Promise.all(
    ['cover-pictures.ts', 'api-reference.ts'].map((file) => run(process.execPath, [path.join(web, file)])),
  );
  await writeLicenses();
  await writeFile(stamp, inputs);
}

if (import.meta.main) {
  if (existsSync(vite)) await buildWeb();
  else {
    await buildGazetteer();
    console.error(
      'The pages cannot be built without the development dependencies: "npm ci --include=dev" installs them and ' +
        'builds the pages. The server runs without pages, or with those of an earlier build.',
    );
    // npm runs this file after each installation.
    if (!process.argv.includes('--if-installed')) process.exitCode = 1;
  }
}
