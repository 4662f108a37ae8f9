/** `npm run release:list`: adds HEAD to releases.json, as the release that package.json names. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { git } from './build-version.ts';
import { hashOf, listMigrationFiles, migrationsDirectory, releases } from './releases.ts';

const { version } = manifest;
if (releases.some((release) => release.version === version))
  throw new Error(`${version} is listed already: raise the version in package.json first.`);
const [commit = '', date = ''] = (await git('log', '-1', '--format=%H %cs')).trim().split(' ');
const released = new Set(releases.flatMap(({ migrations }) => Object.keys(migrations)));
const files = await listMigrationFiles(migrationsDirectory);
const added = files.filter((file) => !released.has(file));
const migrations = Object.fromEntries(
  await Promise.all(added.map(async (file) => [file, await hashOf(path.join(migrationsDirectory, file))])),
);
const list = [...releases, { version, date, commit, schema: files.length, migrations }];
await writeFile(path.join(import.meta.dirname, 'releases.json'), `${JSON.stringify(list, null, 2)}\n`);
