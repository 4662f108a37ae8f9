/** Loads something in the background: again after errors, and one load at a time. */
import { setTimeout as sleep } from 'node:timers/promises';

const [minRetryMs, maxRetryMs] = [500, 30_000];

type Options = {
  /** Must do nothing more once `signal` aborts. */
  load: (signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
};

export class BackgroundLoad {
  readonly #options: Options;
  #running: AbortController | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Starts a load, unless one is running or waiting to be tried again. */
  start(): void {
    if (this.#running) return;
    const load = new AbortController();
    this.#running = load;
    void this.#loadUntilDone(load.signal).finally(() => {
      // A restart may have begun another load.
      if (this.#running === load) this.#running = null;
    });
  }

  /** Stops the running load and starts another. */
  restart(): void {
    this.stop();
    this.start();
  }

  stop(): void {
    this.#running?.abort();
    this.#running = null;
  }

  async #loadUntilDone(signal: AbortSignal): Promise<void> {
    for (let waitMs = minRetryMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxRetryMs)) {
      try {
        await this.#options.load(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#options.onError(error);
        await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }
}
