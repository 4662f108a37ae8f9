/** The program of a worker: one of the processes of a server with SERVERS above 1. The primary starts it (primary.ts). */
import { once } from 'node:events';
import { runProgram } from '../command/run-program.ts';
import { Interrupted, stopSignal } from '../command/stop.ts';
import { keepRunningAfterHangUp } from './hang-up.ts';
import type { Start } from './messages.ts';

// As in main.ts: before the modules of the server are loaded.
const stop = stopSignal();
keepRunningAfterHangUp();

await runProgram(async () => {
  const [start] = (await once(process, 'message')) as [Start];
  const { work } = await import('./work.ts');
  try {
    await work(start, stop);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
});
