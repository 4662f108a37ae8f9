import { singleFlight } from '#base';
import type { Database } from '#pg';
import { registry } from '../../http/metrics.ts';
import type { BaseServices } from '../../http/services.ts';
import { isMigrated } from '../../schema/migrate.ts';

export type HealthServices = BaseServices & {
  checkReadiness: () => Promise<boolean>;
  /** The metrics of the server, in the text format of Prometheus. */
  readMetrics: () => Promise<string>;
};

/** @param readMetrics default: the metrics of this process */
export const createHealthServices = ({ db }: BaseServices, readMetrics = () => registry.metrics()) => ({
  checkReadiness: createReadinessCheck(db),
  readMetrics,
});

/** In ms: the age up to which the result of a check is shared. */
const maxAgeMs = 1_000;

/**
 * Checks whether the database responds and is migrated. `/readyz` is exempt from the rate limit and from load
 * shedding, so its cost must not grow with its callers: a call gets the result of a check that began at most
 * a second ago, or waits for the one that is running.
 */
function createReadinessCheck(db: Database): () => Promise<boolean> {
  let latest: Promise<boolean> | undefined;
  let startedAt = 0;
  const check = singleFlight(() => {
    startedAt = performance.now();
    latest = isMigrated(db);
    return latest;
  });
  return () => (latest && performance.now() - startedAt < maxAgeMs ? latest : check());
}
