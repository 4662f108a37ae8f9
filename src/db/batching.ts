/**
 * Batching: items that arrive while the database is busy share the next statement. A batch costs one round
 * trip, one snapshot and one commit for any number of items, so the cost of a request falls as the load
 * rises.
 *
 * Batches have no collection delay. The items that arrive in one turn of the event loop are sent at the end
 * of that turn; items that arrive while the maximum number of batches is running are sent with the next
 * batch. A statement starts after all of its items have arrived, so each item sees every write that was
 * acknowledged before it arrived.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../lib/errors.ts';
import { FairQueue } from '../lib/fair-queue.ts';
import { isOutage } from './errors.ts';

/**
 * The outcome of an item whose rows are locked by another transaction. The item is run again individually.
 */
export const RETRY_INDIVIDUALLY = Symbol('retry individually');
/**
 * The outcome of an item that needs a lock which another transaction holds for a moment, such as that of its
 * idempotency key. The item joins the next batch, which costs less than a transaction of its own.
 */
export const RETRY_IN_NEXT_BATCH = Symbol('retry in the next batch');

type Options = {
  /** The maximum number of items in a batch. */
  maxBatchSize?: number;
  /** The maximum number of waiting items; further items get a 503. It limits memory and waiting time. */
  maxWaiting?: number;
};

type LoaderOptions<T> = Options & {
  keyOf: (item: T) => string;
  /** The maximum number of batches that run at the same time. */
  concurrency?: number;
};

type WriteOptions<T> = Options & {
  /** Items that have a key in common never share a batch, and keep their order of arrival. */
  keysOf: (item: T) => string[];
  /** Who sent an item: senders take turns with individual retries. */
  senderOf: (item: T) => string;
};

type Retry = typeof RETRY_INDIVIDUALLY | typeof RETRY_IN_NEXT_BATCH;
type Outcome<V> = V | Error | Retry;
type Run<T, V> = (items: T[], mayWaitForLocks: boolean) => Promise<Outcome<V>[]>;
/** `batches`: the number of batches that the item has left for the next one. */
type Waiter<T, V> = { item: T; keys: string[]; since: number; batches: number } & PromiseWithResolvers<V>;

function waiterFor<T, V>(item: T, keys: string[]): Waiter<T, V> {
  const { promise, resolve, reject } = Promise.withResolvers<V>();
  return { item, keys, since: performance.now(), batches: 0, promise, resolve, reject };
}

const defaultMaxBatchSize = 128;
const defaultMaxWaiting = 10_000;
/** The promises that are settled in one turn of the event loop. */
const settledInTurn = 8;
/** Below this number of pending writes, all of them are sent in one batch. */
const minToSplit = 16;
/** After this number of batches, an item that still needs a lock is retried individually. */
const maxBatches = 3;
/** The time limit for waiting and for a batch. The request timeout has sent a 503 by then. */
const timeoutMs = 5_000;

/** Returns true if the item can still be run; rejects it otherwise. */
function isWithinTimeout<T, V>({ since, reject }: Waiter<T, V>): boolean {
  if (performance.now() - since <= timeoutMs) return true;
  reject(new Problem('unavailable'));
  return false;
}

/**
 * Batches reads. Waiting items with the same key share one result.
 * @param run loads a batch of items with distinct keys; returns one value for each item, in the same order
 * @returns a function that loads one item; it rejects with the error of `run`, or with Problem `unavailable`
 *   if more than `maxWaiting` items wait
 */
export function createLoader<T, V>(
  run: (items: T[]) => Promise<V[]>,
  {
    keyOf,
    concurrency = 1,
    maxBatchSize = defaultMaxBatchSize,
    maxWaiting = defaultMaxWaiting,
  }: LoaderOptions<T>,
): (item: T) => Promise<V> {
  let queue = new Map<string, Waiter<T, V>>();
  let running = 0;
  let isScheduled = false;

  const flush = () => {
    isScheduled = false;
    while (running < concurrency && queue.size > 0) {
      // A new Map for each batch: a Map that is filled and emptied permanently retains its old hash tables.
      const waiters = [...queue];
      const batch = waiters.splice(0, maxBatchSize).map(([, waiter]) => waiter);
      queue = new Map(waiters);
      running++;
      const startNext = () => {
        running--;
        flush();
      };
      void runBatch(batch.filter(isWithinTimeout), run, { startNext }).then((retries) => {
        for (const waiter of retries.keys()) void runBatch([waiter], run);
      });
    }
  };

  return (item) => {
    const key = keyOf(item);
    const waiting = queue.get(key);
    if (waiting) return waiting.promise;
    if (queue.size >= maxWaiting) return Promise.reject(new Problem('unavailable'));
    const waiter = waiterFor<T, V>(item, [key]);
    queue.set(key, waiter);
    if (!isScheduled && running < concurrency) {
      isScheduled = true;
      setImmediate(flush);
    }
    return waiter.promise;
  };
}

/**
 * Batches writes. One batch runs at a time, so writes to the same row meet in a batch instead of waiting for
 * each other's locks.
 * @param run writes a batch; returns an outcome for each item, in the same order: a value, the Error that
 *   refuses the item, or `RETRY_INDIVIDUALLY` or `RETRY_IN_NEXT_BATCH` for an item that would wait for a
 *   lock. Such an item is run again outside the batches with `mayWaitForLocks` set, or in the next batch. If
 *   `run` throws, it must have had no effect; each item is then run again individually, so that the failure
 *   of one item does not affect the others. Senders take turns with their retries: a sender with many of them
 *   delays those of no other sender.
 * @returns a function that writes one item; it rejects with the item's Error, the error of `run`, or Problem
 *   `unavailable` if more than `maxWaiting` items wait
 */
export function createWriteBatcher<T, V>(
  run: Run<T, V>,
  { keysOf, senderOf, maxBatchSize = defaultMaxBatchSize, maxWaiting = defaultMaxWaiting }: WriteOptions<T>,
): (item: T) => Promise<V> {
  let queue: Waiter<T, V>[] = [];
  /** Keys of the running items; other items with these keys wait. */
  const runningKeys = new Set<string>();
  let isBusy = false;
  let isScheduled = false;
  let lastBatchSize = 0;
  /**
   * Individual retries run one at a time: each may wait for a lock, and occupies a connection of the pool.
   */
  const retries = new FairQueue({ concurrency: 1, maxWaitingPerClient: maxWaiting, maxWaiting, timeoutMs });

  const release = ({ keys }: Waiter<T, V>) => {
    for (const key of keys) runningKeys.delete(key);
  };

  const takeBatch = (): Waiter<T, V>[] => {
    const batch: Waiter<T, V>[] = [];
    const left: Waiter<T, V>[] = [];
    const leftKeys = new Set<string>();
    const size = Math.min(maxBatchSize, batchSizeFor(queue.length + lastBatchSize));
    for (const waiter of queue) {
      if (!isWithinTimeout(waiter)) continue;
      const mustWait = waiter.keys.some((key) => runningKeys.has(key) || leftKeys.has(key));
      if (batch.length < size && !mustWait) {
        batch.push(waiter);
        for (const key of waiter.keys) runningKeys.add(key);
      } else {
        left.push(waiter);
        for (const key of waiter.keys) leftKeys.add(key);
      }
    }
    queue = left;
    lastBatchSize = batch.length;
    return batch;
  };

  const flush = () => {
    isScheduled = false;
    if (isBusy) return;
    const batch = takeBatch();
    if (batch.length === 0) return;
    isBusy = true;
    const startNext = (toRetry: Retries<T, V>) => {
      isBusy = false;
      const forNextBatch: Waiter<T, V>[] = [];
      for (const waiter of batch) {
        const how = toRetry.get(waiter);
        if (how === RETRY_IN_NEXT_BATCH && ++waiter.batches < maxBatches) forNextBatch.push(waiter);
        else if (how) {
          void retry(waiter);
          continue;
        }
        release(waiter);
      }
      if (forNextBatch.length > 0) queue = [...forNextBatch, ...queue];
      flush();
    };
    void runBatch(batch, run, { startNext });
  };

  const retry = async (waiter: Waiter<T, V>) => {
    const runIndividually = async () => {
      if (isWithinTimeout(waiter)) await runBatch([waiter], run, { mayWaitForLocks: true });
    };
    await retries.run(senderOf(waiter.item), runIndividually).catch(waiter.reject);
    release(waiter);
    schedule();
  };

  const schedule = () => {
    if (isScheduled || isBusy || queue.length === 0) return;
    isScheduled = true;
    setImmediate(flush);
  };

  return (item) => {
    if (queue.length >= maxWaiting) return Promise.reject(new Problem('unavailable'));
    const waiter = waiterFor<T, V>(item, keysOf(item));
    queue.push(waiter);
    schedule();
    return waiter.promise;
  };
}

/**
 * The size of the next batch of writes. Above `minToSplit`, a batch holds half of the pending writes:
 * PostgreSQL runs one half while the server reads and responds to the other. With all writes in one batch,
 * both would alternately be idle.
 * @param pending the waiting items and those of the last batch, whose callers are likely to write again
 */
const batchSizeFor = (pending: number): number => (pending < minToSplit ? pending : Math.ceil(pending / 2));

type Retries<T, V> = Map<Waiter<T, V>, Retry>;
type RunOptions<T, V> = { mayWaitForLocks?: boolean; startNext?: (toRetry: Retries<T, V>) => void };

/**
 * Runs a batch and settles the promise of each item, except those that must be retried.
 * @param options.startNext called a turn of the event loop before the promises are settled: PostgreSQL receives the
 *   next batch first, and works on it while the responses are sent
 * @returns the items to retry
 */
async function runBatch<T, V>(
  batch: Waiter<T, V>[],
  run: Run<T, V>,
  { mayWaitForLocks = false, startNext = () => {} }: RunOptions<T, V> = {},
): Promise<Retries<T, V>> {
  let outcomes: Outcome<V>[];
  const toRetry: Retries<T, V> = new Map();
  try {
    const items = batch.map(({ item }) => item);
    outcomes = items.length > 0 ? await withTimeout(run(items, mayWaitForLocks)) : [];
    if (!mayWaitForLocks) {
      for (const [i, waiter] of batch.entries()) {
        const outcome = outcomes[i];
        if (isRetry(outcome)) toRetry.set(waiter, outcome);
      }
    }
  } catch (error) {
    // After a lost connection it is unknown whether the batch took effect, so it is not run again.
    if (batch.length > 1 && !isOutage(error))
      for (const waiter of batch) toRetry.set(waiter, RETRY_INDIVIDUALLY);
    outcomes = batch.map(() => error as Error);
  }
  startNext(toRetry);
  // The pool hands out a connection after the promises that are settled now, so they are settled a turn later, and a few
  // in each turn: between them, the server reads what PostgreSQL has sent for the next batch, which would wait for it.
  for (const [i, waiter] of batch.entries()) {
    if (i % settledInTurn === 0) await nextTurn();
    if (!toRetry.has(waiter)) settle(waiter, outcomes[i] as Outcome<V>);
  }
  return toRetry;
}

const isRetry = (outcome: unknown): outcome is Retry =>
  outcome === RETRY_INDIVIDUALLY || outcome === RETRY_IN_NEXT_BATCH;

const timeoutError = () => Object.assign(new Error('The database does not respond'), { code: 'ETIMEDOUT' });

/** Rejects after `timeoutMs`: a connection without responses delays the requests of one batch only. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function settle<T, V>({ resolve, reject }: Waiter<T, V>, outcome: Outcome<V>): void {
  if (isRetry(outcome)) reject(new Problem('unavailable'));
  else if (outcome instanceof Error) reject(outcome);
  else resolve(outcome as V);
}
