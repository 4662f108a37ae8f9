/** Metrics for Prometheus. All apps of a process share one registry. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const seconds = new Histogram({
  name: 'potluck_request_seconds',
  help: 'Time from the first byte of a request to the last byte of its response.',
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
    help: 'Live streams that were closed because their client read too slowly.',
    registers: [registry],
  }),
};

/** The discovery index of this process (modules/discovery/memory). */
export const discoveryIndex = {
  loaded: new Gauge({
    name: 'potluck_discovery_index_loaded',
    help: '1 if lists are computed from the discovery index, 0 if they are read from the database.',
    registers: [registry],
  }),
  events: new Gauge({
    name: 'potluck_discovery_index_events',
    help: 'Events in the discovery index when it was loaded.',
    registers: [registry],
  }),
  bytes: new Gauge({
    name: 'potluck_discovery_index_bytes',
    help: 'Memory of the discovery index.',
    registers: [registry],
  }),
};

/** The events that this process has preloaded (modules/events/preload). */
export const preloadedEvents = {
  loaded: new Gauge({
    name: 'potluck_preloaded',
    help: '1 if the soonest events are preloaded, or are too few to preload.',
    registers: [registry],
  }),
  events: new Gauge({
    name: 'potluck_preloaded_events',
    help: 'Listed events whose JSON was read when the server started, or when many had changed.',
    registers: [registry],
  }),
  bytes: new Gauge({
    name: 'potluck_preloaded_bytes',
    help: 'Memory of the preloaded events.',
    registers: [registry],
  }),
};

/** Reads from replicas of the database (cache/replicas.ts). */
export const replicas = {
  usable: new Gauge({
    name: 'potluck_replica_usable',
    help: '1 while the replica is in use, 0 while it fails or does not follow the primary.',
    labelNames: ['replica'],
    registers: [registry],
  }),
  reads: new Counter({
    name: 'potluck_replica_reads_total',
    help: 'Reads that a replica could answer, by where they ran.',
    labelNames: ['on'],
    registers: [registry],
  }),
};

/** Labels are patterns of routes, so that ids do not become labels. The label of unknown paths is `none`. */
export function registerMetrics(app: FastifyInstance): void {
  app.addHook('onRoute', (options) => {
    const hooks = [options.onResponse ?? []].flat();
    const observe = observer(options.url);
    options.onResponse = [
      ...hooks,
      (request, reply, done) => {
        // The duration of a stream depends on its client.
        if (!reply.isStream) observe(request, reply);
        done();
      },
    ];
  });
  const observe = observer('none');
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) observe(request, reply);
    done();
  });
}

/**
 * Caches the series of a route, because finding a series by its labels takes longer than observing a value.
 */
function observer(route: string) {
  type Series = { observe(seconds: number): void };
  const known: Record<string, Series | undefined> = {};
  return ({ method }: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply) => {
    const key = method + status;
    const series = known[key] ?? seconds.labels({ method, route, status });
    known[key] = series;
    series.observe(elapsedTime / 1_000);
  };
}
