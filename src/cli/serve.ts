import type { Config } from '../config/config.ts';
import { findClockDifference } from '../server/clock-check.ts';
import { checkMapTiles } from '../server/web/map-tiles.ts';
import { type CommandContext, withCommandContext } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { Interrupted, stopSignal, unlessStopped } from './command/stop.ts';
import { withAddress } from './serve/address.ts';
import { keepRunningAfterHangUp } from './serve/hang-up.ts';

/**
 * `serve`: runs the server until a stop signal, then completes the open requests. It ends within 10 seconds.
 */
export async function serveCommand(config: Config): Promise<void> {
  const stop = stopSignal();
  keepRunningAfterHangUp();
  await checkMapTiles(config.mapTiles);
  try {
    await withCommandContext(await withAddress(config), stop, (context) => serve(context, stop));
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
}

/** With several processes, this one prepares the database and loads no part of the app. */
async function serve(context: CommandContext, stop: AbortSignal): Promise<void> {
  await checkClock(context);
  if (context.config.demo) {
    const { writeDemo } = await import('./demo/write-demo.ts');
    await unlessStopped(writeDemo(context.db), stop);
  }
  if (context.config.servers > 1) await (await import('./serve/primary.ts')).runWorkers(context, stop);
  else await (await import('./serve/alone.ts')).runAlone(context, stop);
}

/** @throws CommandError if the clock of this machine differs from the database's by a minute or more */
async function checkClock({ db }: CommandContext): Promise<void> {
  const difference = await findClockDifference(db, () => new Date());
  if (difference?.isTooLarge) throw new CommandError(`The server does not start: ${difference.text}.`);
}
