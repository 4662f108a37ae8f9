/** Figures for Prometheus; one set for the process, however many apps it holds. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const seconds = new Histogram({
  name: 'potluck_request_seconds',
  help: 'Time from the first byte of a request to the last of its answer.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  registers: [registry],
});

/** Live streams (live/streams.ts). */
export const streams = {
  open: new Gauge({
    name: 'potluck_live_streams',
    help: 'Live streams that are open.',
    registers: [registry],
  }),
  dropped: new Counter({
    name: 'potluck_live_streams_dropped_total',
    help: 'Live streams that were ended because their listener took too little.',
    registers: [registry],
  }),
};

/** Routes by their pattern, so that no id becomes a label; what has no route is `none`. */
export function registerMetrics(app: FastifyInstance): void {
  // Looking a series up by its labels takes longer than adding to it.
  const series = new Map<string, { observe(value: number): void }>();
  const observe = (method: string, route: string, reply: FastifyReply) => {
    const key = `${method} ${reply.statusCode} ${route}`;
    let known = series.get(key);
    if (!known) {
      known = seconds.labels({ method, route, status: reply.statusCode });
      series.set(key, known);
    }
    known.observe(reply.elapsedTime / 1000);
  };

  app.addHook('onRoute', (options) => {
    const hooks = [options.onResponse ?? []].flat();
    options.onResponse = [
      ...hooks,
      (request, reply, done) => {
        // How long somebody listened says nothing of the server.
        if (!reply.isStream) observe(request.method, options.url, reply);
        done();
      },
    ];
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) observe(request.method, 'none', reply);
    done();
  });
}
