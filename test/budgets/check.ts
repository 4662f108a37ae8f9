/**
 * Fails if the installation or a page is larger than budgets.json allows: the size that was agreed on, and some room, in which
 * small changes need no agreement. Prints what has grown or shrunk since.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { measureFirstLoad } from './first-load.ts';
import { type Lock, listPackages, measureSize } from './installed-packages.ts';

/** `room`: the share of the agreed size by which it may grow. `reasons`: for the size, one for each part. */
type Budget = { what: string; agreed: number; room: number; reasons: string[] };

const root = path.join(import.meta.dirname, '..', '..');
const readJson = async (name: string) => JSON.parse(await readFile(path.join(root, name), 'utf8'));

const lock: Lock = await readJson('package-lock.json');
const all = listPackages(lock, { dev: true });
const production = listPackages(lock, { dev: false });
const missing = all.filter((directory) => !existsSync(path.join(root, directory)));
const sizeOf = (directories: string[]) =>
  measureSize(
    root,
    directories.filter((directory) => !missing.includes(directory)),
  );
const build = path.join(root, 'web', 'build');

const measures: Record<string, () => number | Promise<number>> = {
  'packages of a development installation': () => all.length,
  'MiB of a development installation': () => sizeOf(all),
  'packages of a production installation': () => production.length,
  'MiB of a production installation': () => sizeOf(production),
  'bytes of scripts and styles for the front page': async () => (await measureFirstLoad(build, '/')).bytes,
  'bytes of scripts and styles for the page of an event': async () =>
    (await measureFirstLoad(build, '/e/[id]')).bytes,
  'files of scripts and styles for the front page': async () => (await measureFirstLoad(build, '/')).files,
  'files of scripts and styles for the page of an event': async () =>
    (await measureFirstLoad(build, '/e/[id]')).files,
};

const faults = missing.map((directory) => `${directory} is not installed: run npm ci`);
const budgets: Budget[] = await readJson('budgets.json');
const lines = budgets.map(async ({ what, agreed, room }) => {
  const measured = await measures[what]?.();
  const limit = Math.floor(agreed * (1 + room));
  if (measured === undefined) faults.push(`budgets.json: "${what}" is not measured`);
  else if (measured > limit) faults.push(`${what}: ${measured}, above the limit of ${limit} (budgets.json)`);
  const growth = (measured ?? agreed) - agreed;
  const line = `${what}: ${measured} of ${limit}, ${growth >= 0 ? '+' : ''}${growth} since it was agreed on`;
  return growth !== 0 || process.argv.includes('--print') ? [line] : [];
});
for (const line of (await Promise.all(lines)).flat()) console.log(line);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
