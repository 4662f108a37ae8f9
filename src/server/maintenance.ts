/** Removes what nobody can use any more; on several servers at once it is merely done twice. */
import type { FastifyBaseLogger } from 'fastify';
import { deleteExpiredAudit } from '../audit/audit.ts';
import { deleteExpiredChanges } from '../cache/change-log.ts';
import type { Database } from '../db/client.ts';
import { deleteExpiredCounts } from '../http/rate-limit-store.ts';
import { deleteExpiredResponses } from '../idempotency/stored-responses.ts';
import type { Config } from '../lib/config.ts';
import { deleteExpiredCodes } from '../modules/auth/codes-repo.ts';
import { deleteExpiredSessions } from '../modules/auth/session-repo.ts';
import { openStorage } from '../modules/uploads/storage.ts';
import { sweepFiles } from '../modules/uploads/sweep.ts';

const minute = 60_000;

/** Gives the function that stops it. */
export function startMaintenance(db: Database, log: FastifyBaseLogger, config: Config): () => void {
  const storage = openStorage(config);
  const every = (ms: number, work: () => Promise<void>) =>
    setInterval(() => {
      work().catch((error) => log.warn({ err: error }, 'housekeeping failed; it will be tried again'));
    }, ms).unref();
  const timers = [
    every(60 * minute, () => deleteExpiredSessions(db, new Date())),
    every(60 * minute, () => deleteExpiredCodes(db, new Date())),
    every(60 * minute, () => deleteExpiredAudit(db, new Date())),
    every(60 * minute, () => deleteExpiredResponses(db, new Date())),
    every(minute, () => sweepFiles(db, storage, new Date())),
    every(minute, () => deleteExpiredChanges(db)),
    every(minute, () => deleteExpiredCounts(db, new Date())),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
