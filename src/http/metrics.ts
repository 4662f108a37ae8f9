/** Metrics for Prometheus. All apps of a process share the registry of prom-client. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, register } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };
import './process-metrics.ts';

export const registry = register;

const buildInfo = new Gauge({
  name: 'potluck_build_info',
  help: 'Always 1, with the versions of Potluck and Node.js as labels.',
  labelNames: ['version', 'node'],
});
buildInfo.set({ version: manifest.version, node: process.versions.node }, 1);

const seconds = new Histogram({
  name: 'potluck_request_seconds',
  help: 'Time from the first byte of a request to the last byte of its response.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

/** Live streams (live/streams.ts). */
export const streams = {
  open: new Gauge({
    name: 'potluck_live_streams',
    help: 'Live streams that are open.',
  }),
  dropped: new Counter({
    name: 'potluck_live_streams_dropped_total',
    help: 'Live streams that were closed because their client read too slowly.',
  }),
};

/** The discovery index of this process (modules/discovery/memory). */
export const discoveryIndex = {
  loaded: new Gauge({
    name: 'potluck_discovery_index_loaded',
    help: '1 if lists are computed from the discovery index, 0 if they are read from the database.',
  }),
  events: new Gauge({
    name: 'potluck_discovery_index_events',
    help: 'Events in the discovery index when it was loaded.',
  }),
  bytes: new Gauge({
    name: 'potluck_discovery_index_bytes',
    help: 'Memory of the discovery index.',
  }),
};

/** The JSON of the events in the discovery index. */
export const preloadedEvents = {
  loaded: new Gauge({
    name: 'potluck_preloaded',
    help: '1 if the discovery index is loaded, with the JSON of its events unless they are few.',
  }),
  events: new Gauge({
    name: 'potluck_preloaded_events',
    help: 'Listed events whose JSON was read with the discovery index.',
  }),
  bytes: new Gauge({
    name: 'potluck_preloaded_bytes',
    help: 'Memory of the preloaded events.',
  }),
};

/** Reads from replicas of the database (packages/fresh-records/replicas.ts). */
export const replicas = {
  usable: new Gauge({
    name: 'potluck_replica_usable',
    help: '1 while the replica is in use, 0 while it fails or does not follow the primary.',
    labelNames: ['replica'],
  }),
  reads: new Counter({
    name: 'potluck_replica_reads_total',
    help: 'Reads that a replica could answer, by where they ran.',
    labelNames: ['on'],
  }),
};

/** Outages that the log names (http/outage-log.ts). */
export const outages = new Gauge({
  name: 'potluck_outage',
  help: '1 while the outage lasts, otherwise 0.',
  labelNames: ['kind'],
});

/** Requests whose error is in the log as `unexpected error` (http/problems.ts). */
export const defects = new Counter({
  name: 'potluck_defects_total',
  help: 'Requests that met a defect of the server.',
});

/** Messages that were handed to an SMS service (modules/accounts/codes/send-code.ts). */
export const textMessages = new Counter({
  name: 'potluck_text_messages_total',
  help: 'Text messages, by what became of them.',
  labelNames: ['driver', 'outcome'],
});

/** Mails that were handed to the mail server (mail/). */
export const mails = new Counter({
  name: 'potluck_mails_total',
  help: 'Attempts to send a mail, by what became of them.',
  labelNames: ['use', 'outcome'],
});

/** Jobs of this process (server/maintenance.ts). */
export const jobFailures = new Counter({
  name: 'potluck_job_failures_total',
  help: 'Runs of a job that ended with an error.',
  // Prometheus gives each sample a label `job`: that of the scrape.
  labelNames: ['name'],
});

/** Telemetry that no collector took (packages/telemetry/open-telemetry.ts). */
export const lostTelemetry = new Counter({
  name: 'potluck_telemetry_lost_total',
  help: 'Spans, log records and samples that could not be exported.',
  labelNames: ['signal'],
});

/** The newest backup in BACKUP_DIR (server/nightly-backup.ts). Without the variable, there are no samples. */
export const lastBackup = {
  time: new Gauge({
    name: 'potluck_backup_last_success_timestamp_seconds',
    help: 'When the newest complete backup in BACKUP_DIR was begun; 0 if there is none.',
  }),
  bytes: new Gauge({
    name: 'potluck_backup_last_size_bytes',
    help: 'The size of this backup.',
  }),
};
for (const gauge of Object.values(lastBackup)) gauge.remove();

/** Rows that wait for the jobs of any server (modules/notifications/delivery/measure-backlogs.ts). */
export const backlogs = {
  rows: new Gauge({
    name: 'potluck_backlog',
    help: 'Rows that wait to be delivered; 10,000 means that or more.',
    labelNames: ['queue'],
  }),
  age: new Gauge({
    name: 'potluck_backlog_age_seconds',
    help: 'How long the oldest of these rows has waited.',
    labelNames: ['queue'],
  }),
};

/** Compared by a job (server/maintenance.ts). */
export const clockOffset = new Gauge({
  name: 'potluck_clock_offset_seconds',
  help: 'The clock of the server minus that of the database.',
});

/** Labels are patterns of routes, so that ids do not become labels. The label of unknown paths is `none`. */
export function registerMetrics(app: FastifyInstance): void {
  app.addHook('onRoute', (options) => {
    const hooks = [options.onResponse ?? []].flat();
    const observe = observer(options.url);
    options.onResponse = [
      ...hooks,
      (request, reply, done) => {
        // The duration of a stream depends on its client.
        if (!reply.open?.isStream) observe(request, reply);
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
  const known = new Map<string, Series>();
  return ({ method }: FastifyRequest, { statusCode: status, elapsedTime }: FastifyReply) => {
    const series = known.getOrInsertComputed(method + status, () =>
      seconds.labels({ method, route, status }),
    );
    series.observe(elapsedTime / 1_000);
  };
}
