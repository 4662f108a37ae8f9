/** What operators see of the discovery index: metrics and logs. */
import { discoveryIndex as metrics, preloadedEvents } from '../../../http/metrics.ts';

export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};
type Size = { size: number; bytes: number };
type IndexSize = Size & { json: Size; isComplete: boolean };

/** @param index null if there is none */
export function reportSize(index: IndexSize | null): void {
  metrics.loaded.set(index ? 1 : 0);
  metrics.events.set(index?.size ?? 0);
  metrics.bytes.set(index?.bytes ?? 0);
  if (!index) preloadedEvents.loaded.set(0);
  preloadedEvents.events.set(index?.json.size ?? 0);
  preloadedEvents.bytes.set(index?.json.bytes ?? 0);
}

/** Lists are as fast as they will be. */
export const reportReady = (): void => preloadedEvents.loaded.set(1);

export function logLoaded(log: Log, { size, bytes, isComplete }: IndexSize, ms: number): void {
  const fields = { events: size, megabytes: toMegabytes(bytes), ms: Math.round(ms) };
  const left = isComplete ? '' : ', without events that have ended: CACHE_MB is too small for them';
  log.info(fields, `the discovery index is loaded${left}`);
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
