/**
 * A lock between processes on one machine. Node has none of its own, SQLite does: it asks the operating system for
 * it, so it ends with its holder, however that one dies, and there is never a stale one to clear away.
 */

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const busy = 5;

/** Nobody let go of the lock in time. */
export class LockedError extends Error {}

/**
 * Runs `work` while no other process is in here with the same file.
 * @param waitMs how long to wait for those
 * @throws LockedError after that time; whatever `work` throws; the signal's reason
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
      if (performance.now() > deadline) throw new LockedError(`Another process has been holding ${file}.`);
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
