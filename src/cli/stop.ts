/** Being told to stop: Ctrl-C, `kill`, or the terminal that closes. */
import { constants } from 'node:os';

/** All there is to do is over by then, or the process ends without. */
const limitMs = 9_700;

/** A command that was told to stop; for a server that is simply its end. */
export class Interrupted extends Error {
  /** As a shell reports a process that the signal itself has ended. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

let signal: AbortSignal | undefined;

/**
 * Aborted at the first SIGINT or SIGTERM; ten seconds later at most the process is gone. Further ones change nothing:
 * npm passes on the Ctrl-C that the terminal has sent to both of them already.
 */
export function stopSignal(): AbortSignal {
  signal ??= listen();
  return signal;
}

function listen(): AbortSignal {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) return;
    controller.abort(new Interrupted(name));
    setTimeout(() => process.exit(1), limitMs).unref();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Without a terminal SIGHUP is somebody else's (nohup), and is left as it is.
  if (process.stdout.isTTY) process.on('SIGHUP', stop);
  return controller.signal;
}

/** The result of `work`, or its end when the signal comes first; what `work` does afterwards is of no interest. */
export async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  stop.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(stop.reason);
  stop.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    stop.removeEventListener('abort', abort);
  }
}
