/** Exports traces, metrics and logs to a collector of OpenTelemetry, if the configuration names one. Traces are left to a loaded SDK. */
import type { Outcome } from './export/post.ts';
import type { Metrics, Telemetry } from './export/start-export.ts';
import type { Destination, TelemetryConfig } from './options.ts';
import { findSdkTracer } from './sdk-tracer.ts';
import { useTracer } from './span.ts';

const noTelemetry: Telemetry = { reportTo: () => {}, close: async () => {} };

/**
 * To be called before the app and the log are created. Without a collector, no module of the export is loaded.
 * @param telemetry undefined without a collector
 * @param metrics undefined for a process that has none
 */
export async function openTelemetry(
  telemetry: TelemetryConfig | undefined,
  metrics?: Metrics,
): Promise<Telemetry> {
  const sdk = findSdkTracer();
  if (sdk) useTracer(sdk);
  if (!telemetry) return noTelemetry;
  const { startExport } = await import('./export/start-export.ts');
  const { traces, ...others } = telemetry.destinations;
  return startExport(sdk ? { ...telemetry, destinations: others } : telemetry, metrics);
}

/** Sends one message to a collector. A program that sends none loads no module of the export. @throws as `post` */
export async function postOnce(
  destination: Destination,
  message: object,
  stop: AbortSignal,
): Promise<Outcome> {
  const { post } = await import('./export/post.ts');
  return post(destination, message, stop);
}
