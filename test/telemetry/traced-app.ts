/** An app that exports to a collector of the test. */
import { after } from 'node:test';
import { openTelemetry } from '#telemetry';
import { readConfig } from '../../src/config/config.ts';
import { registry } from '../../src/http/metrics.ts';
import { type Collector, startCollector } from '../support/collector.ts';
import { startTestApp, type TestApp, type TestOptions } from '../support/setup.ts';

export type TracedApp = { api: TestApp; collector: Collector };

/** One for each file: the export is that of the process. */
export async function startTracedApp(options: TestOptions = {}): Promise<TracedApp> {
  const collector = await startCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...options.env };
  const telemetry = await openTelemetry(readConfig(env).telemetry, { registry, countLost: () => {} });
  const api = await startTestApp({ ...options, env });
  after(() => telemetry.close());
  return { api, collector };
}

/** The header of a request that begins a trace, and the id of the trace. */
export function newTrace(flags = '01'): { traceId: string; headers: { traceparent: string } } {
  const traceId = crypto.randomUUID().replaceAll('-', '');
  return { traceId, headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}` } };
}
