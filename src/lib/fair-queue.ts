/**
 * Runs few tasks at a time. Clients take turns: a client with many waiting tasks delays its own tasks, and not those of
 * other clients.
 */
import { Problem } from './errors.ts';

type Options = {
  /** The number of tasks that run at the same time. */
  concurrency: number;
  /** The number of waiting tasks of one client, and of all clients; further tasks get a 503. */
  maxWaitingPerClient: number;
  maxWaiting: number;
  /** A task that has waited longer is not run: its request has got a 503 by then. */
  timeoutMs: number;
};

type Waiting = { since: number; start: () => void; reject: (error: Error) => void };

export class FairQueue {
  readonly #options: Options;
  /** The waiting tasks of each client. The client whose turn is next comes first. */
  readonly #clients = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  /** @throws the error of the task; Problem `unavailable` if too many tasks wait, or if the task waited too long */
  async run<T>(client: string, task: () => Promise<T>): Promise<T> {
    await this.#turn(client);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#startNext();
    }
  }

  #turn(client: string): Promise<void> {
    const { maxWaiting, maxWaitingPerClient } = this.#options;
    const queue = this.#clients.get(client) ?? [];
    if (this.#waiting >= maxWaiting || queue.length >= maxWaitingPerClient)
      return Promise.reject(new Problem('unavailable'));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.push({ since: performance.now(), start: resolve, reject });
    this.#clients.set(client, queue);
    this.#waiting++;
    this.#startNext();
    return promise;
  }

  #startNext(): void {
    while (this.#running < this.#options.concurrency) {
      const next = this.#takeNext();
      if (!next) return;
      if (performance.now() - next.since > this.#options.timeoutMs) {
        next.reject(new Problem('unavailable'));
        continue;
      }
      this.#running++;
      next.start();
    }
  }

  /** Takes the first task of the first client, and moves that client behind the others. */
  #takeNext(): Waiting | undefined {
    const [client, queue] = this.#clients.entries().next().value ?? [];
    if (client === undefined || !queue) return undefined;
    this.#clients.delete(client);
    const next = queue.shift();
    if (queue.length > 0) this.#clients.set(client, queue);
    this.#waiting--;
    return next;
  }
}
