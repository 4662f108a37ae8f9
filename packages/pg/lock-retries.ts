/**
 * Runs items again that were left out of their batch because another transaction held a lock that they need.
 *
 * Those whose target is locked, such as the event that they book, wait for its lock in one transaction: while an organizer
 * changes a popular event, hundreds of bookings find it locked, and an item alone takes as long as a batch. All other items
 * run individually, so that the lock of one delays no other. One retry runs at a time, because it may wait for its lock
 * and occupies a connection of the pool meanwhile. Targets, and the senders of individual items, take turns.
 */
import { FairQueue } from '#base';
import { defaultTimeoutMs, isWithinTimeout, type Run, runBatch, type Waiter } from './run-batch.ts';

type Options<T, V> = {
  senderOf: (item: T) => string;
  targetOf: (item: T) => string;
  maxBatchSize: number;
  maxWaiting: number;
  /** Called when the promise of an item is settled. */
  onEnd: (waiter: Waiter<T, V>) => void;
};

export class LockRetries<T, V> {
  readonly #run: Run<T, V>;
  readonly #options: Options<T, V>;
  readonly #queue: FairQueue;
  /** The items that wait for their target, by target; each target that has some is in the queue. */
  readonly #waiting = new Map<string, Waiter<T, V>[]>();

  constructor(run: Run<T, V>, options: Options<T, V>) {
    const { maxWaiting } = options;
    this.#run = run;
    this.#options = options;
    this.#queue = new FairQueue({
      concurrency: 1,
      maxWaitingPerClient: maxWaiting,
      maxWaiting,
      timeoutMs: defaultTimeoutMs,
    });
  }

  /** Runs the item by itself; it waits for all locks. */
  async runAlone(waiter: Waiter<T, V>): Promise<void> {
    const { senderOf, onEnd } = this.#options;
    const run = async () => {
      if (isWithinTimeout(waiter)) await runBatch([waiter], this.#run, { waits: 'all' });
    };
    await this.#queue.run(senderOf(waiter.item), run).catch(waiter.reject);
    onEnd(waiter);
  }

  /** Runs the item with the others that wait for the same target. */
  runWithTarget(waiter: Waiter<T, V>): void {
    const target = this.#options.targetOf(waiter.item);
    const others = this.#waiting.get(target);
    if (others) {
      others.push(waiter);
    } else {
      this.#waiting.set(target, [waiter]);
      void this.#runTarget(target);
    }
  }

  async #runTarget(target: string): Promise<void> {
    const { maxBatchSize, onEnd } = this.#options;
    let group: Waiter<T, V>[] = [];
    const run = async () => {
      group = this.#take(target, maxBatchSize);
      return runBatch(group.filter(isWithinTimeout), this.#run, { waits: 'targets' });
    };
    const refuse = (error: unknown) => {
      group = this.#take(target, Number.POSITIVE_INFINITY);
      for (const { reject } of group) reject(error);
      return new Map<Waiter<T, V>, unknown>();
    };
    const toRetry = await this.#queue.run(target, run).catch(refuse);
    for (const waiter of group) {
      if (toRetry.has(waiter)) void this.runAlone(waiter);
      else onEnd(waiter);
    }
  }

  /** Takes the first items that wait for a target. If some are left, the target takes another turn. */
  #take(target: string, count: number): Waiter<T, V>[] {
    const waiting = this.#waiting.get(target) ?? [];
    const taken = waiting.splice(0, count);
    if (waiting.length === 0) this.#waiting.delete(target);
    else void this.#runTarget(target);
    return taken;
  }
}
