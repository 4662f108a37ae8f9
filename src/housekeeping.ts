/** Removes what nobody can use any more, once an hour; on several servers at once it is merely done twice. */
import type { FastifyBaseLogger } from 'fastify';
import { deleteExpired } from './auth/queries.ts';
import type { Sql } from './db/connect.ts';
import { deleteOldChanges } from './events/changes.ts';

const everyMs = 60 * 60_000;

/** Gives the function that stops it. */
export function startHousekeeping(sql: Sql, log: FastifyBaseLogger): () => void {
  const timer = setInterval(() => {
    Promise.all([deleteExpired(sql, new Date()), deleteOldChanges(sql)]).catch((error) =>
      log.warn({ err: error }, 'housekeeping failed; it will be tried again'),
    );
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}
