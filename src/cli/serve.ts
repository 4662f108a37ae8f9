import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { isOutage } from '../db/errors.ts';
import type { App } from '../http/app.ts';
import type { Config } from '../lib/config.ts';
import { demoPhones } from '../lib/demo-phones.ts';
import { buildApp } from '../server/build-app.ts';
import { seedDemo } from './demo.ts';
import { Interrupted, stopSignal, unlessStopped } from './stop.ts';
import { type CommandContext, CommandError, withCommandContext } from './world.ts';

/** What is under way may take this long after the signal; the database needs the rest of the ten seconds. */
const finishMs = 5_000;

// V8 learns which objects live long and makes the next of their kind among the old ones at once. What a start teaches it,
// while everything waits for the first lists, is wrong for ever after: objects of requests are then old when they are
// born, and all that they point at outlives its collection (a fifth of a server's time).
setFlagsFromString('--no-allocation-site-pretenuring');

/** Starts the server and keeps it until SIGTERM or SIGINT; then what is under way ends first, within 10 s. */
export async function serveCommand(config: Config): Promise<void> {
  const stop = stopSignal();
  try {
    await withCommandContext(await withPort(config), stop, (world) => serve(world, stop));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
}

/** PORT=0: any free one, which must be known before the first address is written into an answer. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await new Promise<number>((resolve, reject) => {
    const probe = createServer().once('error', (error) => reject(addressTrouble(error, config)));
    probe.listen(0, config.host, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) };
}

async function serve(world: CommandContext, stop: AbortSignal): Promise<void> {
  const { config } = world;
  if (config.demo) await unlessStopped(seedDemo(world), stop);
  const app = await buildApp({ ...world, runJobs: true });
  // What the driver asks for itself on a new connection (db/sockets.ts) nobody awaits; its loss must not end the server.
  const onRejection = (error: unknown) => {
    if (!isOutage(error)) throw error;
    app.log.warn({ err: error }, 'a connection to the database was lost while it was made');
  };
  process.on('unhandledRejection', onRejection);
  try {
    await app.listen({ host: config.host, port: config.port }).catch((error) => {
      throw addressTrouble(error, config);
    });
    announce(app, config);
    await unlessStopped(new Promise(() => {}), stop);
  } finally {
    await closeInTime(app);
    process.off('unhandledRejection', onRejection);
  }
}

/** Lets what is under way end, and the connections with it, which their clients would keep open for the next request. */
async function closeInTime(app: App): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), 50);
  await Promise.race([app.close(), sleep(finishMs, undefined, { ref: false })]);
  clearInterval(sweep);
  app.server.closeAllConnections();
}

function addressTrouble(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE') return new CommandError(`Port ${port} is in use. Set PORT to a free one.`);
  if (error.code === 'EACCES')
    return new CommandError(`Port ${port} may not be used by this user. Set PORT to one above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    return new CommandError(`HOST is "${host}", which is no address of this machine.`);
  }
  return error;
}

/** A screen for whoever tries it out; a line like all the others where lines are read by machines. */
function announce(app: App, config: Config): void {
  if (config.production) app.log.info({ address: config.publicUrl }, 'Potluck is open');
  else console.log(welcome(config));
}

function welcome({ publicUrl, databaseUrl, dataDir, demo, devCodes, isLocal, sms }: Config): string {
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
