/** For those who run the server: does it live, can it work, how is it doing. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import type { App, Deps } from '../app.ts';
import { isMigrated } from '../db/migrate.ts';
import { Problem } from '../errors.ts';
import { route } from './route.ts';

const Status = Type.Object({ status: Type.Literal('ok') });

export function healthRoutes(app: App, { sql }: Deps): void {
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
      response: { 200: Status },
    }),
    async () => {
      if (!(await isMigrated(sql))) throw new Problem('unavailable');
      return { status: 'ok' as const };
    },
  );

  const registry = new Registry();
  // Two apps in one process, as in tests, must not both hook into the runtime.
  if (!collecting) collectDefaultMetrics({ register: registry });
  collecting = true;
  const seconds = new Histogram({
    name: 'potluck_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const errors = new Counter({
    name: 'potluck_errors_total',
    help: 'Answers that are our fault, by status.',
    labelNames: ['status'],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
    };
    seconds.observe(labels, reply.elapsedTime / 1000);
    if (reply.statusCode >= 500) errors.inc({ status: reply.statusCode });
  });

  app.get(
    '/metrics',
    route({
      name: 'getMetrics',
      access: 'public',
      tag: 'Server',
      summary: 'Figures for Prometheus',
      response: { 200: Type.String() },
    }),
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );
}

let collecting = false;
