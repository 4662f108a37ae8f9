/** Exports traces, metrics and logs to a collector of OpenTelemetry, if the configuration names one. */
import type { Config } from '../lib/config.ts';
import type { Metrics, Telemetry } from './export/start-export.ts';

const noTelemetry: Telemetry = { reportTo: () => {}, close: async () => {} };

/**
 * To be called before the app and the log are created. Without a collector, no module of the export is loaded.
 * @param metrics undefined for a process that has none
 */
export async function openTelemetry(
  { telemetry }: Pick<Config, 'telemetry'>,
  metrics?: Metrics,
): Promise<Telemetry> {
  if (!telemetry) return noTelemetry;
  const { startExport } = await import('./export/start-export.ts');
  return startExport(telemetry, metrics);
}
