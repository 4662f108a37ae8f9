/** The export of this process: what is recorded, and where it is sent. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Registry } from 'prom-client';
import { useLogExport } from '../log-lines.ts';
import { type Destination, type Signal, signals, type TelemetryConfig } from '../options.ts';
import { useTracer } from '../span.ts';
import { ExportQueue } from './export-queue.ts';
import { toLogRecord } from './log-record.ts';
import { readMetrics } from './metrics.ts';
import { followClock, type KeyValue, toKeyValues } from './otlp.ts';
import { post } from './post.ts';
import { createTracer, type RecordedSpan } from './tracer.ts';

export type Telemetry = {
  /** Where failures of the export are logged. */
  reportTo(log: Pick<FastifyBaseLogger, 'warn'>): void;
  /** Sends what is left, for a second at most. */
  close(): Promise<void>;
};

/** The metrics to export, and a function that counts what could not be exported. */
export type Metrics = { registry: Registry; countLost(signal: Signal, count: number): void };

/** How long the end of a server waits for the collector. */
const closeTimeoutMs = 1_000;
const reportEveryMs = 60_000;
const clockEveryMs = 10_000;

/** What the export of each signal needs. */
type Context = {
  resource: { attributes: KeyValue[] };
  /** Aborts when the server has waited long enough. */
  stop: AbortSignal;
  /** Reports a failure, and counts what is lost by it. */
  lose(signal: Signal, count: number, reason: string): void;
};
type Close = () => Promise<void>;

export function startExport(config: TelemetryConfig, metrics?: Metrics): Telemetry {
  const { traces, logs, metrics: forMetrics } = config.destinations;
  const stop = new AbortController();
  const { lose, reportTo } = createReports(metrics);
  // A series that exists before the first loss shows the loss as an increase.
  for (const signal of signals) if (config.destinations[signal]) metrics?.countLost(signal, 0);
  const context = { resource: resourceOf(config), stop: stop.signal, lose };
  const clock = setInterval(followClock, clockEveryMs).unref();
  const ends: Close[] = [];
  if (traces) ends.push(exportTraces(traces, config, context));
  if (logs) ends.push(exportLogs(logs, context));
  if (forMetrics && metrics) ends.push(exportMetrics(forMetrics, config, context, metrics));
  return {
    reportTo,
    async close() {
      clearInterval(clock);
      await Promise.all(ends.map((end) => end()));
      stop.abort();
    },
  };
}

function createReports(metrics?: Metrics): Pick<Telemetry, 'reportTo'> & Pick<Context, 'lose'> {
  let log: Pick<FastifyBaseLogger, 'warn'> | undefined;
  const reportedAt = new Map<Signal, number>();
  return {
    reportTo(value) {
      log = value;
    },
    lose(signal, lost, reason) {
      metrics?.countLost(signal, lost);
      const now = performance.now();
      if (now - (reportedAt.get(signal) ?? Number.NEGATIVE_INFINITY) < reportEveryMs) return;
      // First: the line may be lost as well.
      reportedAt.set(signal, now);
      log?.warn({ signal, lost, reason }, 'telemetry could not be exported');
    },
  };
}

const resourceOf = ({ resource }: TelemetryConfig): Context['resource'] => ({
  attributes: toKeyValues({
    'service.instance.id': randomUUID(),
    ...resource,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'potluck',
    'telemetry.sdk.version': resource['service.version'],
  }),
});

const scope = { name: 'potluck' };

function exportTraces(to: Destination, { sampling }: TelemetryConfig, context: Context): Close {
  const { resource, stop, lose } = context;
  const send = (spans: RecordedSpan[]) => {
    const scopeSpans = [{ scope, spans: spans.map((span) => span.toOtlp()) }];
    return post(to, { resourceSpans: [{ resource, scopeSpans }] }, stop);
  };
  const queue = new ExportQueue(send, (count, reason) => lose('traces', count, reason));
  useTracer(createTracer(sampling, (span) => queue.add(span)));
  return async () => {
    useTracer(undefined);
    await queue.close(closeTimeoutMs);
  };
}

function exportLogs(to: Destination, { resource, stop, lose }: Context): Close {
  const send = (lines: string[]) => {
    const scopeLogs = [{ scope, logRecords: lines.map(toLogRecord) }];
    return post(to, { resourceLogs: [{ resource, scopeLogs }] }, stop);
  };
  const queue = new ExportQueue(send, (count, reason) => lose('logs', count, reason));
  useLogExport((line) => queue.add(line));
  return async () => {
    useLogExport(undefined);
    await queue.close(closeTimeoutMs);
  };
}

/** The values are totals, so the next message has what one that failed had. */
function exportMetrics(
  to: Destination,
  { metricIntervalMs }: TelemetryConfig,
  { resource, stop, lose }: Context,
  { registry }: Metrics,
): Close {
  let sending: Promise<void> | null = null;
  const send = async () => {
    const scopeMetrics = [{ scope, metrics: await readMetrics(registry) }];
    const { lost, reason, retryAfterMs } = await post(
      to,
      { resourceMetrics: [{ resource, scopeMetrics }] },
      stop,
    );
    if (lost > 0 || retryAfterMs !== undefined) lose('metrics', Number.isFinite(lost) ? lost : 0, reason);
  };
  const sendUnlessBusy = () => {
    sending ??= send().finally(() => {
      sending = null;
    });
    return sending;
  };
  const timer = setInterval(sendUnlessBusy, metricIntervalMs).unref();
  return async () => {
    clearInterval(timer);
    await Promise.race([sendUnlessBusy(), sleep(closeTimeoutMs, undefined, { ref: false })]);
  };
}
