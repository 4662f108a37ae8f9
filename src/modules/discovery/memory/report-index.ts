/** What operators see of the discovery index: metrics and logs. */
import { discoveryIndex as metrics } from '../../../http/metrics.ts';

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};
type Size = { size: number; bytes: number };

/** @param index null if there is none */
export function reportSize(index: Size | null): void {
  metrics.loaded.set(index ? 1 : 0);
  metrics.events.set(index?.size ?? 0);
  metrics.bytes.set(index?.bytes ?? 0);
}

export function logLoaded(log: Log, { size, bytes }: Size, ms: number): void {
  const fields = { events: size, megabytes: toMegabytes(bytes), ms: Math.round(ms) };
  log.info(fields, 'the discovery index is loaded');
}

export function warnTooLarge(
  log: Log,
  { neededBytes, events, maxBytes }: { neededBytes: number; events: number; maxBytes: number },
): void {
  const fields = {
    events,
    neededMegabytes: toMegabytes(neededBytes),
    availableMegabytes: toMegabytes(maxBytes),
  };
  log.warn(
    fields,
    'the discovery index does not fit into its share of CACHE_MB, so lists are read from the database. ' +
      'Raise CACHE_MB, or set DISCOVERY=sql.',
  );
}

const toMegabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);
