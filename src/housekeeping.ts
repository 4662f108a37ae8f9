/** Removes what nobody can use any more; on several servers at once it is merely done twice. */
import type { FastifyBaseLogger } from 'fastify';
import { deleteOldAudit } from './audit.ts';
import { deleteExpired } from './auth/queries.ts';
import { deleteOldChanges } from './changes.ts';
import type { Config } from './config.ts';
import type { Sql } from './db/connect.ts';
import { deleteOldAnswers } from './http/kept-answers.ts';
import { deleteOldCounts } from './http/request-counts.ts';
import { openStorage } from './uploads/storage.ts';
import { sweepFiles } from './uploads/sweep.ts';

const minute = 60_000;

/** Gives the function that stops it. */
export function startHousekeeping(sql: Sql, log: FastifyBaseLogger, config: Config): () => void {
  const storage = openStorage(config);
  const every = (ms: number, work: () => Promise<void>) =>
    setInterval(() => {
      work().catch((error) => log.warn({ err: error }, 'housekeeping failed; it will be tried again'));
    }, ms).unref();
  const timers = [
    every(60 * minute, () => deleteExpired(sql, new Date())),
    every(60 * minute, () => deleteOldAudit(sql, new Date())),
    every(60 * minute, () => deleteOldAnswers(sql, new Date())),
    every(minute, () => sweepFiles(sql, storage, new Date())),
    every(minute, () => deleteOldChanges(sql)),
    every(minute, () => deleteOldCounts(sql, new Date())),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
