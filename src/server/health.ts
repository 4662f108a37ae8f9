/** For those who run the server: does it live, can it work, how is it doing. */
import { Type } from 'typebox';
import type { Database } from '../db/client.ts';
import { isMigrated } from '../db/migrate.ts';
import type { App } from '../http/app.ts';
import { registry } from '../http/metrics.ts';
import { route } from '../http/route.ts';
import { Problem } from '../lib/errors.ts';
import type { Deps } from './build-app.ts';

/** In ms. */
const readinessAge = 1_000;

/**
 * Checks whether the database responds and is migrated. `/readyz` is exempt from the rate limit and from load shedding,
 * so its cost must not grow with its callers: a call gets the result of a check that began at most a second ago, or
 * waits for the one that is running.
 */
export function createReadinessCheck(db: Database): () => Promise<boolean> {
  let check: Promise<boolean> | undefined;
  let startedAt = 0;
  let isRunning = false;
  return () => {
    const now = performance.now();
    if (check && (isRunning || now - startedAt < readinessAge)) return check;
    startedAt = now;
    isRunning = true;
    check = isMigrated(db).finally(() => {
      isRunning = false;
    });
    return check;
  };
}

const Status = Type.Object({ status: Type.Literal('ok') });

export function healthRoutes(app: App, { db }: Deps): void {
  const isReady = createReadinessCheck(db);

  app.get(
    '/healthz',
    route({
      name: 'isAlive',
      access: 'public',
      tag: 'Server',
      summary: 'The process lives',
      description: 'Never asks the database.',
      response: { 200: Status },
    }),
    async () => ({ status: 'ok' as const }),
  );

  app.get(
    '/readyz',
    route({
      name: 'isReady',
      access: 'public',
      tag: 'Server',
      summary: 'The database answers and is migrated',
      description:
        '200 while the database responds and its schema is current, else 503. Send the server no requests ' +
        'while this fails. The response is that of a check at most one second old.',
      response: { 200: Status },
    }),
    async () => {
      if (!(await isReady())) throw new Problem('unavailable');
      return { status: 'ok' as const };
    },
  );

  app.get(
    '/metrics',
    route({
      name: 'getMetrics',
      access: 'public',
      tag: 'Server',
      summary: 'Figures for Prometheus',
      description:
        'Counters, gauges and histograms of this process in the text format of Prometheus. No figure names ' +
        'a person.',
      response: { 200: Type.String() },
    }),
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );
}
