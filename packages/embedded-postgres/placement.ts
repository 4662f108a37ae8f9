/**
 * The directories and the user of the embedded PostgreSQL: binaries, cluster and socket.
 *
 * PostgreSQL refuses to run as root. If Potluck runs as root, PostgreSQL runs as the user `postgres`, who
 * cannot access /root and other private directories of root; binaries and clusters in these are placed under
 * /var/lib/potluck.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readlink, rename, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { syncDirectory } from '#base';
import { copyBinaries, findBinaries, makeSharedRoot, sharedRoot } from './binaries.ts';
import { EmbeddedError } from './embedded-error.ts';

type Identity = { uid: number; gid: number };

export type Placement = {
  initdb: string;
  postgres: string;
  /** PostgreSQL's data directory. */
  clusterDir: string;
  socketDir: string;
  /** The user that runs PostgreSQL; undefined: the user that runs Potluck. */
  identity: Identity | undefined;
};

const run = promisify(execFile);
/** In bytes: the shortest limit of all systems on a socket's path (104), without the file name. */
const maxSocketDirLength = 85;

/**
 * Finds or creates the directories. One process at a time may call it.
 * @param dataDir absolute path; the cluster is `postgres` in it, or where a link of that name points
 * @param binaries the directory with bin, lib and share; default: of the package for this platform
 * @throws EmbeddedError if this machine cannot run the embedded PostgreSQL, with the remedy
 */
export async function place(dataDir: string, binaries?: string): Promise<Placement> {
  const packaged = binaries ?? (await findBinaries());
  const clusterLink = path.join(dataDir, 'postgres');
  const linked = await readlink(clusterLink).catch(() => null);
  const existing = linked === null ? clusterLink : path.resolve(dataDir, linked);
  await completeUpgrade(existing);
  const owner = (await stat(existing).catch(() => null))?.uid;
  if (linked !== null && owner === undefined) {
    throw new EmbeddedError(`${clusterLink} points to ${existing}, which does not exist.`);
  }
  if (process.getuid?.() !== 0) {
    if (owner !== undefined && owner !== process.getuid?.()) {
      throw new EmbeddedError(`The database in ${existing} belongs to another user.`);
    }
    return finish(packaged, existing, undefined);
  }
  const identity = owner ? await identityOf(existing) : await postgresUser();
  const nativeDir = (await canAccess(identity, packaged)) ? packaged : await copyBinaries(packaged);
  if (owner === undefined && !(await canAccess(identity, dataDir))) {
    return finish(nativeDir, await placeElsewhere(clusterLink, identity), identity);
  }
  if (!(await canAccess(identity, path.dirname(existing)))) {
    throw new EmbeddedError(`The owner of the database in ${existing} cannot access its parent directory.`);
  }
  return finish(nativeDir, existing, identity);
}

/** An upgraded cluster has this name from its completion until the old cluster has made way for it. */
export const upgradedDirOf = (clusterDir: string): string => `${clusterDir}-new`;

/** Completes an upgrade of PostgreSQL that was interrupted before its last step. */
export async function completeUpgrade(clusterDir: string): Promise<void> {
  const upgraded = upgradedDirOf(clusterDir);
  if (existsSync(clusterDir) || !existsSync(upgraded)) return;
  await rename(upgraded, clusterDir);
  await syncDirectory(path.dirname(clusterDir));
}

async function finish(nativeDir: string, clusterDir: string, identity?: Identity): Promise<Placement> {
  const binary = (name: string) => path.join(nativeDir, 'bin', name);
  const binaries = { initdb: binary('initdb'), postgres: binary('postgres') };
  for (const file of Object.values(binaries)) {
    if (((await stat(file)).mode & 0o111) !== 0o111) await chmod(file, 0o755);
  }
  return { ...binaries, clusterDir, socketDir: await makeSocketDir(clusterDir, identity), identity };
}

/** As `place`, for another cluster in the same parent directory. */
export async function placeBeside(placement: Placement, clusterDir: string): Promise<Placement> {
  return { ...placement, clusterDir, socketDir: await makeSocketDir(clusterDir, placement.identity) };
}

/** The owner of the cluster: started by root, a cluster of an ordinary user runs as that user. */
async function identityOf(clusterDir: string): Promise<Identity> {
  const { uid, gid } = await stat(clusterDir);
  return { uid, gid };
}

async function postgresUser(): Promise<Identity> {
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  const lookUp = async () => ({ uid: await idOf('-u'), gid: await idOf('-g') });
  try {
    return await lookUp();
  } catch {
    const shell = ['--shell', '/usr/sbin/nologin'];
    return run('useradd', ['--system', '--user-group', '--no-create-home', ...shell, 'postgres'])
      .then(lookUp)
      .catch(() => {
        throw new EmbeddedError(
          'PostgreSQL does not run as root, and the user `postgres` could not be created. ' +
            'Start Potluck as an ordinary user, or create the user `postgres`, or set DATABASE_URL.',
        );
      });
  }
}

/** Runs `ls` as the user: file modes do not show access control lists and mount options. */
async function canAccess(identity: Identity, directory: string): Promise<boolean> {
  try {
    await run('ls', ['-d', `${directory}/.`], { ...identity, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}

/** Creates the cluster's directory under /var/lib/potluck and a link to it in the data directory. */
async function placeElsewhere(clusterLink: string, identity: Identity): Promise<string> {
  await makeSharedRoot();
  const home = path.join(sharedRoot, randomBytes(8).toString('hex'));
  const clusterDir = path.join(home, 'postgres');
  await mkdir(clusterDir, { recursive: true, mode: 0o700 });
  await chown(clusterDir, identity.uid, identity.gid);
  await chown(home, identity.uid, identity.gid);
  await symlink(clusterDir, clusterLink);
  for (const directory of [sharedRoot, home, path.dirname(clusterLink)]) await syncDirectory(directory);
  return clusterDir;
}

/**
 * Creates the socket's directory beside the cluster, or in a directory with a short path if that path is too
 * long.
 */
async function makeSocketDir(clusterDir: string, identity?: Identity): Promise<string> {
  const beside = `${clusterDir}-socket`;
  const name = createHash('sha256').update(clusterDir).digest('hex').slice(0, 16);
  const short = identity ? `${sharedRoot}/socket-${name}` : `/tmp/potluck-${name}`;
  const fits = Buffer.byteLength(beside) <= maxSocketDirLength;
  if (!fits && identity) await makeSharedRoot();
  const socketDir = fits ? beside : short;
  await mkdir(socketDir, { recursive: true, mode: 0o700 });
  // In /tmp, another user could have created the directory or a link in its place, to impersonate the server.
  const found = await lstat(socketDir);
  const owners = [identity?.uid, process.getuid?.()];
  if (!found.isDirectory() || !owners.includes(found.uid)) {
    throw new EmbeddedError(`${socketDir} belongs to another user.`);
  }
  await chmod(socketDir, 0o700);
  if (identity) await chown(socketDir, identity.uid, identity.gid);
  return socketDir;
}
