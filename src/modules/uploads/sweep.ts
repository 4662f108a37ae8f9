/**
 * Deletes files without a row in `uploads`: those of deleted uploads, and those that a stopped server was
 * writing.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#pg';
import { forgetFiles, listDueFiles, postponeFiles } from './repo.ts';
import type { Storage } from './storage.ts';

/** Number of files that are deleted at the same time. */
const concurrency = 8;
/** Number of files that one query reads. */
const batchSize = 200;

/**
 * Deletes the files that are due, for maintenance.
 * @throws the error of the storage; the next run deletes the remaining files
 */
export async function sweepFiles(db: Database, storage: Storage, now: Date): Promise<void> {
  for (;;) {
    const ids = await listDueFiles(db, now, batchSize);
    await removeFiles(db, storage, ids);
    if (ids.length < batchSize) return;
  }
}

/**
 * Deletes files whose rows are deleted.
 * @throws the error of the storage; `sweepFiles` deletes the remaining files later
 */
async function removeFiles(db: Database, storage: Storage, ids: string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += concurrency) {
    const chunk = ids.slice(at, at + concurrency);
    const failures = new Map<string, unknown>();
    await Promise.all(chunk.map((id) => storage.remove(id).catch((error) => failures.set(id, error))));
    const removed = chunk.filter((id) => !failures.has(id));
    await forgetFiles(db, removed);
    if (failures.size === 0) continue;
    await postponeFiles(db, [...failures.keys()]);
    throw [...failures.values()][0];
  }
}

/** As `removeFiles`, for a request whose response does not depend on the storage: a failure is logged. */
export const tryRemoveFiles = (
  { db, storage, log }: { db: Database; storage: Storage; log: FastifyBaseLogger },
  ids: string[],
): Promise<void> =>
  removeFiles(db, storage, ids).catch((error) =>
    log.warn({ err: error }, 'deleting the files of deleted images failed; maintenance retries it'),
  );
