import type { AddressInfo } from 'node:net';
import { buildApp } from '../app.ts';
import { startHousekeeping } from '../auth/housekeeping.ts';
import type { Config } from '../config.ts';
import { demoPhones, seedDemo } from './demo.ts';
import { CommandError, openWorld, type World } from './world.ts';

/** Starts the server and keeps it until SIGTERM or SIGINT; then what is under way ends first, within 10 s. */
export async function serveCommand(config: Config): Promise<void> {
  const stop = onStopSignal();
  const world = await openWorld(config);
  try {
    if (config.demo) await seedDemo(world);
    const app = await buildApp(world);
    const stopHousekeeping = startHousekeeping(world.sql, app.log);
    await app.listen({ host: config.host, port: config.port }).catch((error) => {
      throw portProblem(error, config);
    });
    console.log(welcome(config, (app.server.address() as AddressInfo).port));
    await stop;
    stopHousekeeping();
    await app.close();
  } finally {
    await closeInTime(world);
  }
}

/** Resolves at the first signal; the second one, or 10 s, ends the process whatever is still open. */
function onStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const onSignal = () => {
      if (stopping) return;
      stopping = true;
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

/** The exit must not hang on a database that no longer answers. */
async function closeInTime(world: World): Promise<void> {
  const timer = setTimeout(() => process.exit(1), 9_000);
  await world.close();
  clearTimeout(timer);
}

function portProblem(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE') return new CommandError(`Port ${port} is in use. Set PORT to a free one.`);
  if (error.code === 'EACCES')
    return new CommandError(`Port ${port} may not be used by this user. Set PORT to one above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new CommandError(`HOST is "${host}", which is no address of this machine.`);
  }
  return error;
}

function welcome(config: Config, port: number): string {
  const address = config.port === 0 ? `http://${config.host}:${port}` : config.publicUrl;
  const lines = [
    '',
    `  🥘 Potluck is open at  ${address}`,
    `     API reference       ${address}/docs`,
    `     Database            ${config.databaseUrl ? 'DATABASE_URL' : `PostgreSQL 18, embedded, in ${config.dataDir}`}`,
  ];
  if (config.demo) {
    lines.push('', '     Sign in as          with the phone (the answer carries the code)');
    for (const { phone, who } of demoPhones) lines.push(`       ${who.padEnd(18)}${phone}`);
  }
  return [...lines, '', '  Ctrl-C stops the server and its database.', ''].join('\n');
}
