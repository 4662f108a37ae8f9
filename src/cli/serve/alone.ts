/** The server in one process, with SERVERS=1. */
import type { CommandContext } from '../command/command-context.ts';
import { onHangUp } from './hang-up.ts';
import { reportStart } from './report-start.ts';
import { runServer } from './run-server.ts';

/** @throws as `runServer` */
export const runAlone = (context: CommandContext, stop: AbortSignal): Promise<void> =>
  runServer({ ...context, runJobs: true }, stop, async (log) => {
    onHangUp(() => log.warn('SIGHUP has no effect with SERVERS=1; restart the server'));
    await reportStart(log, context);
  });
