/** Deletes files that no row tells of: what deletions left, and what was being written when a server ended. */
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../db/client.ts';
import * as queries from './repo.ts';
import type { Storage } from './storage.ts';

const atOnce = 8;
const batch = 200;

/** Those that are due; for housekeeping. @throws what the storage does, with the rest left for the next time */
export async function sweepFiles(db: Database, storage: Storage, now: Date): Promise<void> {
  for (;;) {
    const ids = await queries.listDueFiles(db, now, batch);
    await removeFiles(db, storage, ids);
    if (ids.length < batch) return;
  }
}

/** Files whose rows are gone. @throws as `sweepFiles`, which comes by later */
export async function removeFiles(db: Database, storage: Storage, ids: string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += atOnce) {
    const some = ids.slice(at, at + atOnce);
    const failures = new Map<string, unknown>();
    await Promise.all(some.map((id) => storage.remove(id).catch((error) => failures.set(id, error))));
    await queries.forgetFiles(
      db,
      some.filter((id) => !failures.has(id)),
    );
    if (failures.size === 0) continue;
    await queries.postponeFiles(db, [...failures.keys()]);
    throw [...failures.values()][0];
  }
}

/** For whoever has an answer to give that does not depend on it. */
export const reportRemainingFiles = (log: FastifyBaseLogger, error: unknown): void =>
  log.warn({ err: error }, 'files of images that are gone could not be deleted; it will be tried again');
