/**
 * A lock between processes on one machine. Node.js has no file locks, so SQLite takes one: the operating
 * system releases it when the process ends, even after SIGKILL, so there are no stale locks.
 */
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** SQLITE_BUSY */
const busy = 5;

/** Another process held the lock for the whole waiting time. */
export class LockedError extends Error {}

/**
 * Runs `work` while this process holds the lock on the file.
 * @param options.waitMs how long to wait for the lock
 * @param options.signal cancels waiting
 * @throws LockedError after `waitMs`; the error of `work`; the signal's reason
 */
export async function withFileLock<T>(
  file: string,
  work: () => Promise<T>,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<T> {
  const holder = new DatabaseSync(file, { timeout: 0 });
  try {
    const deadline = performance.now() + waitMs;
    while (!tryLock(holder)) {
      if (performance.now() > deadline)
        throw new LockedError(`Another process has held ${file} for ${waitMs} ms.`);
      await sleep(25, undefined, { signal });
    }
    return await work();
  } finally {
    holder.close();
  }
}

function tryLock(holder: DatabaseSync): boolean {
  try {
    holder.exec('begin exclusive');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === busy) return false;
    throw error;
  }
}
