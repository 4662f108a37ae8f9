import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { Database } from '../db/client.ts';
import { isOutage } from '../db/errors.ts';
import { listMissingSettings } from '../db/session-settings.ts';
import { findUnverifiedHost, type Target } from '../db/target.ts';
import type { App } from '../http/app.ts';
import { stopListening } from '../http/drain.ts';
import type { Config } from '../lib/config.ts';
import { demoPhones } from '../lib/demo-phones.ts';
import { buildApp } from '../server/build-app.ts';
import { findClockDifference } from '../server/clock-check.ts';
import { findBuildProblem } from '../server/web/built-files.ts';
import { checkMapTiles } from '../server/web/map-tiles.ts';
import { type CommandContext, withCommandContext } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { Interrupted, stopSignal, unlessStopped } from './command/stop.ts';
import { writeDemo } from './demo/write-demo.ts';

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

/**
 * `serve`: runs the server until a stop signal, then completes the open requests. It ends within 10 seconds.
 */
export async function serveCommand(config: Config): Promise<void> {
  const stop = stopSignal();
  await checkMapTiles(config.mapTiles);
  try {
    await withCommandContext(await withPort(config), stop, (context) => serve(context, stop));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
}

/** Replaces PORT=0 by a free port. The first response may contain URLs, so the port must be known before. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  await using probe = createServer().listen(0, config.host);
  await once(probe, 'listening').catch((error) => {
    throw toAddressError(error, config);
  });
  const { port } = probe.address() as AddressInfo;
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) };
}

async function serve(context: CommandContext, stop: AbortSignal): Promise<void> {
  const { config } = context;
  await checkClock(context);
  if (config.demo) await unlessStopped(writeDemo(context.db), stop);
  const app = await buildApp({ ...context, runJobs: true, pages: true });
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
    announce(app, config);
    for (const warning of config.warnings) app.log.warn(warning);
    warnIfUnverified(app, context.target, config);
    await warnAboutSettings(app, context.db);
    const problem = await findBuildProblem();
    if (problem) app.log.warn(problem);
    await unlessStopped(new Promise(() => {}), stop);
  } finally {
    await closeApp(app);
    process.off('unhandledRejection', onRejection);
  }
}

/** @throws CommandError if the clock of this machine differs from the database's by a minute or more */
async function checkClock({ db }: CommandContext): Promise<void> {
  const difference = await findClockDifference(db, () => new Date());
  if (difference?.isTooLarge) throw new CommandError(`The server does not start: ${difference.text}.`);
}

/** Waits for open requests up to the time limit. */
async function closeApp(app: App): Promise<void> {
  const closed = stopListening(app.server).then(() => app.close());
  await Promise.race([closed, sleep(drainTimeoutMs, undefined, { ref: false })]);
  app.server.closeAllConnections();
}

/** Turns errors of `listen` into a CommandError, and returns all other errors unchanged. */
function toAddressError(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new CommandError(`Port ${port} is in use. Set PORT to a free port.`);
  if (error.code === 'EACCES')
    return new CommandError(`Port ${port} may not be used by this user. Set PORT to a port above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    return new CommandError(`HOST is "${host}", which is not an address of this machine.`);
  }
  return error;
}

/** Logs a warning if another machine could pretend to be the database, or one of its replicas. */
function warnIfUnverified(app: App, target: Target, { databaseReplicaUrls }: Config): void {
  const variables = [
    ['DATABASE_URL', [target]],
    ['DATABASE_REPLICA_URLS', databaseReplicaUrls],
  ] as const;
  for (const [variable, targets] of variables) {
    const host = targets.map(findUnverifiedHost).find((each) => each !== null);
    if (host === undefined) continue;
    app.log.warn(
      { host },
      `the connection to the database does not verify the server; set sslmode=verify-full in ${variable}`,
    );
  }
}

/** Logs a warning if a pooler did not pass the settings of the server's connections on to the database. */
async function warnAboutSettings(app: App, db: Database): Promise<void> {
  // Without the database, requests report its outage.
  const missing = await listMissingSettings(db).catch(() => []);
  if (missing.length === 0) return;
  const statements = missing.map(({ name, value }) => `alter role ROLE set ${name} = '${value}'`);
  app.log.warn(
    { missing: missing.map(({ name }) => name) },
    `the database connections lack settings, which a pooler such as PgBouncer drops; run: ${statements.join('; ')}`,
  );
}

/** Prints a start screen, or in production one line of the log. */
function announce(app: App, config: Config): void {
  if (config.production) app.log.info({ address: config.publicUrl }, 'Potluck is open');
  else console.log(startScreen(config));
}

function startScreen({ publicUrl, databaseUrl, dataDir, demo, devCodes, isLocal, sms }: Config): string {
  const showsCode = devCodes && sms.driver === 'console';
  const lines = [
    '',
    `  🥘 Potluck is open at  ${publicUrl}`,
    `     API reference       ${publicUrl}/docs`,
    `     Database            ${databaseUrl ? 'DATABASE_URL' : `PostgreSQL 18, embedded, in ${dataDir}`}`,
  ];
  if (demo) {
    lines.push(
      '',
      `     Sign in as          with the phone${showsCode ? ' (the response carries the code)' : ''}`,
    );
    for (const { phone, who } of demoPhones) lines.push(`       ${who.padEnd(18)}${phone}`);
  }
  if (sms.driver === 'console' && !devCodes)
    lines.push('', '     Codes               are in this log, with the last three digits of the phone');
  if (showsCode && !isLocal) {
    lines.push('', '  ⚠ DEV_CODES=on: every client that reaches this server can sign in as any account,');
    lines.push('    because the responses carry the codes.');
  }
  return [...lines, '', '  Ctrl-C stops the server and its database.', ''].join('\n');
}
