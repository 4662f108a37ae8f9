/** For those who run the server: does it live, can it work, how is it doing. */
import { Type } from 'typebox';
import type { App, Deps } from './build-app.ts';
import { isMigrated } from '../db/migrate.ts';
import { Problem } from '../lib/errors.ts';
import { registry } from '../http/metrics.ts';
import { route } from '../http/route.ts';

const Status = Type.Object({ status: Type.Literal('ok') });

export function healthRoutes(app: App, { db }: Deps): void {
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
      if (!(await isMigrated(db))) throw new Problem('unavailable');
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
      response: { 200: Type.String() },
    }),
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  );
}
