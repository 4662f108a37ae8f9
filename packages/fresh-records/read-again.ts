/** Repeats reads that came too early: the database has not shown a change yet that the change log has named. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeLog } from './change-log.ts';

/** How long reads are repeated, and the shortest and longest wait between two of them. */
const [patienceMs, minWaitMs, maxWaitMs] = [1_000, 5, 100];

/**
 * Reads the change log and runs `read` again until its result is not too early, for about a second. The first
 * repetition is immediate: a record that was deleted or moved between the reads of the log and of the record only needs
 * the newer change.
 * @returns the last result, which is too early if the time is over
 */
export async function readAgain<T>(
  changeLog: Pick<ChangeLog, 'catchUp'>,
  read: () => Promise<T>,
  isTooEarly: (result: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let waitMs = minWaitMs; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    await changeLog.catchUp();
    const result = await read();
    if (!isTooEarly(result) || performance.now() >= deadline) return result;
    await sleep(waitMs);
  }
}
