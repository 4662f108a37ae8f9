/**
 * Runs few tasks at a time. Clients take turns: a client with many waiting tasks delays its own tasks, and not those of
 * other clients. A client that begins to wait while a task of another one runs comes before further tasks of that one.
 */
import { patient, Unavailable } from './waiting.ts';

type Options = {
  /** The number of tasks that run at the same time. */
  concurrency: number;
  /** The number of waiting tasks of one client, and of all clients; further tasks get a 503. Default: no limit. */
  maxWaitingPerClient?: number;
  maxWaiting?: number;
  /** A task that has waited longer is not run. Default: no limit. */
  timeoutMs?: number;
  /** The `Retry-After` of a task that is not run, in seconds. */
  retryAfter?: number;
};

type Waiting = { timer: NodeJS.Timeout | undefined; start: () => void };

export class FairQueue {
  readonly #options: Options;
  /** The waiting tasks of each client. The client whose turn is next comes first. */
  readonly #clients = new Map<string, Waiting[]>();
  #running = 0;
  #waiting = 0;

  /** The number of tasks that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  constructor(options: Options) {
    this.#options = options;
  }

  /** @throws the error of the task; Unavailable if too many tasks wait, or if the task waited too long */
  async run<T>(client: string, task: () => Promise<T>): Promise<T> {
    await this.#turn(client);
    try {
      return await task();
    } finally {
      this.#running--;
      this.#moveBehind(client);
      this.#startNext();
    }
  }

  #turn(client: string): Promise<void> {
    const { maxWaiting = Infinity, maxWaitingPerClient = Infinity, timeoutMs } = this.#options;
    const queue = this.#clients.get(client) ?? [];
    if (this.#waiting >= maxWaiting || queue.length >= maxWaitingPerClient)
      return Promise.reject(this.#refusal());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { timer: undefined, start: resolve };
    queue.push(waiting);
    this.#clients.set(client, queue);
    this.#waiting++;
    this.#startNext();
    if (timeoutMs !== undefined && queue.includes(waiting)) {
      const expire = () => {
        this.#remove(client, waiting);
        reject(this.#refusal());
      };
      waiting.timer = setTimeout(expire, patient(timeoutMs)).unref();
    }
    return promise;
  }

  #refusal(): Unavailable {
    return new Unavailable(this.#options.retryAfter);
  }

  #remove(client: string, waiting: Waiting): void {
    const queue = this.#clients.get(client) ?? [];
    queue.splice(queue.indexOf(waiting), 1);
    if (queue.length === 0) this.#clients.delete(client);
    this.#waiting--;
  }

  #startNext(): void {
    while (this.#running < this.#options.concurrency) {
      const next = this.#takeNext();
      if (!next) return;
      clearTimeout(next.timer);
      this.#running++;
      next.start();
    }
  }

  /** Takes the first task of the first client, and moves that client behind the others. */
  #takeNext(): Waiting | undefined {
    const [client, queue] = this.#clients.entries().next().value ?? [];
    if (client === undefined || !queue) return undefined;
    const next = queue.shift();
    this.#waiting--;
    this.#moveBehind(client);
    return next;
  }

  #moveBehind(client: string): void {
    const queue = this.#clients.get(client);
    this.#clients.delete(client);
    if (queue && queue.length > 0) this.#clients.set(client, queue);
  }
}
