/** Finds a PostgreSQL that is installed on this machine, beside the embedded one. */
import { execFile } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian installs the programs of each major version in a directory that is not in PATH. */
const debianRoot = '/usr/lib/postgresql';

/**
 * Returns the directory with `initdb` and `postgres` of the newest version that is installed.
 * @returns null if there is none of at least this major version
 */
export async function findPostgres(minVersion: number): Promise<string | null> {
  const versions = (await readdir(debianRoot).catch(() => [])).map(Number);
  const newest = versions.toSorted((a, b) => b - a).find((version) => version >= minVersion);
  if (newest !== undefined) {
    const directory = path.join(debianRoot, `${newest}`, 'bin');
    if (await isExecutable(path.join(directory, 'postgres'))) return directory;
  }
  const configured = await run('pg_config', ['--bindir', '--version']).catch(() => null);
  const [directory = '', version = ''] = configured?.stdout.split('\n') ?? [];
  const isNewEnough = Number.parseInt(version.replace('PostgreSQL ', ''), 10) >= minVersion;
  return isNewEnough && (await isExecutable(path.join(directory, 'postgres'))) ? directory : null;
}

const isExecutable = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
