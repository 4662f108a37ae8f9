/** Stop signals of the process: SIGINT (Ctrl-C), SIGTERM (`kill`) and SIGHUP (a closed terminal). */
import { addAbortListener } from 'node:events';
import { constants } from 'node:os';

/** The process exits after this time, even if the command is still running. */
const exitTimeoutMs = 9_700;

/** A stop signal ended the command. A server treats this as a normal end. */
export class Interrupted extends Error {
  /** The exit code that shells report for a process that the signal ended. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

let signal: AbortSignal | undefined;

/**
 * Returns the signal that aborts at the first stop signal. The process exits at most ten seconds later.
 * Further stop signals have no effect, because npm forwards the Ctrl-C that the terminal has already sent to
 * both processes.
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
    setTimeout(() => process.exit(1), exitTimeoutMs).unref();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  // Without a terminal, nohup or a supervisor decides what SIGHUP does.
  if (process.stdout.isTTY) process.on('SIGHUP', stop);
  return controller.signal;
}

/**
 * Returns the result of `work`. After an abort, `work` continues and its result is ignored.
 * @throws the error of `work`, or the reason of `stop` if that aborts first
 */
export async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  // Its error after an abort, also one before this call, must not end the process.
  work.catch(() => {});
  stop.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  using _ = addAbortListener(stop, () => reject(stop.reason));
  return await Promise.race([work, promise]);
}
