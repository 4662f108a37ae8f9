/** A server in this process, from the app to its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { type Database, isOutage } from '#pg';
import { openTelemetry } from '#telemetry';
import type { ReadyConfig } from '../../config/config.ts';
import type { App } from '../../http/app.ts';
import { stopListening } from '../../http/drain.ts';
import { lostTelemetry, registry } from '../../http/metrics.ts';
import { buildApp } from '../../server/build-app.ts';
import { unlessStopped } from '../command/stop.ts';
import { toAddressError } from './address.ts';
import type { Log } from './report-start.ts';

/**
 * New connections that wait to be accepted. Above that, the kernel drops the handshake, and the client
 * repeats it after 1, 3 and 7 s instead of getting a 503. Node.js has 511; the system may have a lower limit.
 */
const backlog = 4_096;
/**
 * The time for open requests after a stop signal. Requests that arrive in the first half second get their 503 in it. The
 * database needs the rest of the ten seconds.
 */
const drainTimeoutMs = 5_500;

// V8 records at each allocation site whether its objects live long, and then allocates new ones directly in
// the old generation. The start of a server, when all requests wait for the first lists, gives wrong records:
// the objects of later requests stay in the old generation, and garbage collection takes a fifth of the CPU
// time.
setFlagsFromString('--no-allocation-site-pretenuring');

type Options = {
  config: ReadyConfig;
  db: Database;
  runJobs: boolean;
  readMetrics?: () => Promise<string>;
};

/**
 * Serves until `stop`, then completes the open requests.
 * @param onOpen called once the server listens
 * @throws CommandError if the address cannot be used; the reason of `stop`
 */
export async function runServer(
  options: Options,
  stop: AbortSignal,
  onOpen: (log: Log) => Promise<void>,
): Promise<void> {
  const { config } = options;
  const countLost = (signal: string, count: number) => lostTelemetry.inc({ signal }, count);
  const telemetry = await openTelemetry(config.telemetry, { registry, countLost });
  const app = await buildApp({ ...options, pages: true });
  telemetry.reportTo(app.log);
  // The driver awaits no result of its own queries on a new connection. Their failure must not end the
  // server.
  const onRejection = (error: unknown) => {
    if (!isOutage(error)) throw error;
    app.log.warn({ err: error }, 'a connection to the database was lost while it was made');
  };
  process.on('unhandledRejection', onRejection);
  try {
    await app.listen({ host: config.host, port: config.port, backlog }).catch((error) => {
      throw toAddressError(error, config);
    });
    await onOpen(app.log);
    await unlessStopped(new Promise(() => {}), stop);
  } finally {
    await closeApp(app);
    await telemetry.close();
    process.off('unhandledRejection', onRejection);
  }
}

/** Waits for open requests up to the time limit. */
async function closeApp(app: App): Promise<void> {
  const closed = stopListening(app.server).then(() => app.close());
  await Promise.race([closed, sleep(drainTimeoutMs, undefined, { ref: false })]);
  app.server.closeAllConnections();
}
