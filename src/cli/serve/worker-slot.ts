/** A place for one worker. It always has one: a worker that ends is replaced, and a restart puts a newer one in its place. */
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command/command-error.ts';
import { send } from './gather-metrics.ts';
import type { Start } from './messages.ts';
import type { Log } from './report-start.ts';

type Options = {
  /** The variables of the worker's environment, and the first message to it. */
  env: Record<string, string>;
  start: Start;
  log: Log;
  /** Aborts when the server stops: workers that end are then not replaced. */
  stop: AbortSignal;
};

/** A worker that has lived for so long has not failed because of what failed before it. */
const stableMs = 30_000;
const [firstPauseMs, maxPauseMs] = [500, 30_000];
/** As long as a worker takes for the requests in progress (run-server.ts) and for the export of telemetry, and a little more. */
const endTimeoutMs = 7_500;

/** The pause before a worker is replaced, after so many that ended soon after their start: none at first, then more and more. */
export const pauseAfter = (ends: number): number =>
  ends <= 1 ? 0 : Math.min(firstPauseMs * 2 ** (ends - 2), maxPauseMs);

export class WorkerSlot {
  readonly #options: Options;
  /** The worker that listens; null while there is none. */
  #worker: Worker | null = null;
  #isRenewing = false;
  /** Workers that ended soon after their start, one after the other. */
  #quickEnds = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get worker(): Worker | null {
    return this.#worker;
  }

  /** Starts the first worker. @throws CommandError if it ends before it listens */
  async open(): Promise<void> {
    this.#worker = await this.#launch();
  }

  /**
   * Starts a newer worker, and ends the present one when the newer one listens. A worker that is being replaced is new.
   * @throws CommandError if the newer worker ends before it listens; the present one then stays
   */
  async renew(): Promise<void> {
    const { stop } = this.#options;
    const old = this.#worker;
    if (!old || stop.aborted) return;
    this.#isRenewing = true;
    try {
      this.#worker = await this.#launch();
    } finally {
      this.#isRenewing = false;
      // The present one has ended meanwhile.
      if (!this.#worker) void this.#replace();
    }
    await endWorker(old);
  }

  /** Resolves when the new worker listens. */
  #launch(): Promise<Worker> {
    const { env, start, log, stop } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Worker>();
    const startedAt = performance.now();
    let isReady = false;
    const worker = cluster.fork(env);
    worker.on('error', () => {});
    send(worker, start);
    worker.once('listening', () => {
      isReady = true;
      resolve(worker);
    });
    worker.once('exit', (code, signal) => {
      reject(new CommandError(`Server process ${start.number} ended before it was ready.`));
      const wasEnded = stop.aborted || (isReady && worker !== this.#worker);
      if (wasEnded) return;
      log.error({ worker: start.number, code, signal }, 'a server process ended');
      this.#quickEnds = performance.now() - startedAt < stableMs ? this.#quickEnds + 1 : 0;
      if (isReady) this.#lose();
    });
    return promise;
  }

  #lose(): void {
    this.#worker = null;
    if (!this.#isRenewing) void this.#replace();
  }

  async #replace(): Promise<void> {
    const { stop } = this.#options;
    while (!stop.aborted && !this.#worker) {
      await sleep(pauseAfter(this.#quickEnds), undefined, { signal: stop }).catch(() => {});
      if (!stop.aborted) this.#worker = await this.#launch().catch(() => null);
    }
  }
}

/** Lets a worker complete the requests in progress. Resolves when its process has ended. */
export async function endWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.process.kill('SIGTERM');
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), endTimeoutMs);
  await ended;
  clearTimeout(timer);
}
