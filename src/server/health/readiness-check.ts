import type { Database } from '../../db/client.ts';
import { isMigrated } from '../../db/migrate.ts';

/** In ms: the age up to which the result of a check is shared. */
const maxAgeMs = 1_000;

/**
 * Checks whether the database responds and is migrated. `/readyz` is exempt from the rate limit and from load
 * shedding, so its cost must not grow with its callers: a call gets the result of a check that began at most
 * a second ago, or waits for the one that is running.
 */
export function createReadinessCheck(db: Database): () => Promise<boolean> {
  let check: Promise<boolean> | undefined;
  let startedAt = 0;
  let isRunning = false;
  return () => {
    const now = performance.now();
    if (check && (isRunning || now - startedAt < maxAgeMs)) return check;
    startedAt = now;
    isRunning = true;
    check = isMigrated(db).finally(() => {
      isRunning = false;
    });
    return check;
  };
}
