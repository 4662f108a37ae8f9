/** For those who run the server: does it live, can it work, how is it doing. */
import { Type } from 'typebox';
import type { App, Deps } from '../app.ts';
import { isMigrated } from '../db/migrate.ts';
import { Problem } from '../errors.ts';
import { registry } from './metrics.ts';
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
      description:
        '200 while the database responds and its schema is current, else 503. Send the server no requests ' +
        'while this fails.',
      response: { 200: Status },
    }),
    async () => {
      if (!(await isMigrated(sql))) throw new Problem('unavailable');
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
