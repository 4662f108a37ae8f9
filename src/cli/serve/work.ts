import { connect } from '#pg';
import { readConfig } from '../../config/config.ts';
import { registry } from '../../http/metrics.ts';
import { shareMetrics } from './gather-metrics.ts';
import type { Start } from './messages.ts';
import { runServer } from './run-server.ts';

/**
 * The number of the worker that runs the jobs. Its successor has the same number, so the jobs go on. Jobs that run twice do
 * no harm: several servers on one database run all of them.
 */
const jobsWorker = 1;

/** Serves until `stop`. The primary has checked the configuration and opened the database. */
export async function work({ number, secretKey, target }: Start, stop: AbortSignal): Promise<void> {
  stop.throwIfAborted();
  const config = Object.freeze({ ...readConfig(process.env), secretKey });
  registry.setDefaultLabels({ worker: `${number}` });
  const readMetrics = shareMetrics(() => registry.metrics());
  const db = connect(target);
  try {
    const options = { config, db, runJobs: number === jobsWorker, readMetrics };
    await runServer(options, stop, async () => {});
  } finally {
    await db.end({ timeoutMs: 500 });
  }
}
