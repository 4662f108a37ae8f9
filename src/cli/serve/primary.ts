/**
 * The first process of a server with SERVERS above 1. It opens the database, starts the workers and replaces them. It
 * answers no request: the workers accept connections from one socket, each when it has time.
 */
import cluster, { type Worker } from 'node:cluster';
import path from 'node:path';
import { pino } from 'pino';
import { processesVariable, singleFlight } from '#base';
import { openTelemetry } from '#telemetry';
import { loggerOptions } from '../../http/logging.ts';
import type { CommandContext } from '../command/command-context.ts';
import { unlessStopped } from '../command/stop.ts';
import { relayMetrics } from './gather-metrics.ts';
import { onHangUp } from './hang-up.ts';
import { type Log, reportStart } from './report-start.ts';
import { endWorker, WorkerSlot } from './worker-slot.ts';

/**
 * Serves until `stop`, then ends all workers.
 * @throws CommandError if a worker ends before the server is open; the reason of `stop`
 */
export async function runWorkers(context: CommandContext, stop: AbortSignal): Promise<void> {
  const telemetry = await openTelemetry(context.config.telemetry);
  const log = pino(loggerOptions(context.config));
  telemetry.reportTo(log);
  // All workers wait at the same socket. The other policy of Node.js lets the primary accept connections and hand them out:
  // a worker that is killed then takes those with it that are on their way.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: path.join(import.meta.dirname, 'worker.ts'), serialization: 'advanced' });
  const ending = new AbortController();
  const slots = createSlots(context, log, ending.signal);
  relayMetrics(() => slots.flatMap(({ worker }) => worker ?? []));
  try {
    await unlessStopped(Promise.all(slots.map((slot) => slot.open())), stop);
    onHangUp(createRestart(slots, log, ending.signal));
    await reportStart(log, context);
    await unlessStopped(new Promise(() => {}), stop);
  } finally {
    ending.abort();
    await Promise.all(allWorkers().map(endWorker));
    await telemetry.close();
  }
}

function createSlots(context: CommandContext, log: Log, stop: AbortSignal): WorkerSlot[] {
  const { config, target } = context;
  const env = { PORT: `${config.port}`, [processesVariable]: `${config.servers}` };
  return Array.from({ length: config.servers }, (_, index) => {
    const start = { type: 'start', number: index + 1, secretKey: config.secretKey, target } as const;
    return new WorkerSlot({ env, start, log, stop });
  });
}

/** Also those that start, and those that complete their requests. */
const allWorkers = (): Worker[] => Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);

/** Returns a function that renews the workers one after the other. A call during a restart has no effect. */
const createRestart = (slots: WorkerSlot[], log: Log, stop: AbortSignal): (() => void) =>
  singleFlight(async () => {
    log.info('the server processes are restarted, one after the other');
    try {
      for (const slot of slots) await slot.renew();
      log.info('the server processes were restarted');
    } catch {
      if (!stop.aborted) log.error('the restart ended early: the present server processes go on');
    }
  });
