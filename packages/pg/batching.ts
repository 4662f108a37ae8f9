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
import { Unavailable } from '#base';
import { LockRetries } from './lock-retries.ts';
import {
  isWithinTimeout,
  RETRY_IN_NEXT_BATCH,
  RETRY_WITH_TARGET,
  type Retries,
  type Run,
  runBatch,
  type Waiter,
  waiterFor,
} from './run-batch.ts';

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
  /** The time limit for waiting and for a batch, in ms. Default: 5 seconds. */
  timeoutMs?: number;
};

type WriteOptions<T> = Options & {
  /** Items that have a key in common never share a batch, and keep their order of arrival. */
  keysOf: (item: T) => string[];
  /** Who sent an item: senders take turns with individual retries. */
  senderOf: (item: T) => string;
  /** The row that an item changes together with others. Items that wait for its lock (`RETRY_WITH_TARGET`) share a retry. */
  targetOf: (item: T) => string;
};

const defaultMaxBatchSize = 128;
const defaultMaxWaiting = 10_000;
/** Below this number of pending writes, all of them are sent in one batch. */
const minToSplit = 16;
/** After this number of batches, an item that still needs a lock is retried individually. */
const maxBatches = 3;

/**
 * Batches reads. Waiting items with the same key share one result.
 * @param run loads a batch of items with distinct keys; returns one value for each item, in the same order
 * @returns a function that loads one item; it rejects with the error of `run`, or with Unavailable
 *   if more than `maxWaiting` items wait or the time limit is over
 */
export function createLoader<T, V>(
  run: (items: T[]) => Promise<V[]>,
  {
    keyOf,
    concurrency = 1,
    maxBatchSize = defaultMaxBatchSize,
    maxWaiting = defaultMaxWaiting,
    timeoutMs,
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
    if (queue.size >= maxWaiting) return Promise.reject(new Unavailable());
    const waiter = waiterFor<T, V>(item, [key], timeoutMs);
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
 *   refuses the item, or for an item that would wait for a lock `RETRY_WITH_TARGET`, `RETRY_INDIVIDUALLY` or
 *   `RETRY_IN_NEXT_BATCH`. Such an item is run again outside the batches, where it may wait (lock-retries.ts), or in
 *   the next batch. If `run` throws, it must have had no effect; each item is then run again individually, so that
 *   the failure of one item does not affect the others. Senders take turns with their retries: a sender with many of
 *   them delays those of no other sender.
 * @returns a function that writes one item; it rejects with the item's Error, the error of `run`, or
 *   Unavailable if more than `maxWaiting` items wait
 */
export function createWriteBatcher<T, V>(
  run: Run<T, V>,
  {
    keysOf,
    senderOf,
    targetOf,
    maxBatchSize = defaultMaxBatchSize,
    maxWaiting = defaultMaxWaiting,
  }: WriteOptions<T>,
): (item: T) => Promise<V> {
  let queue: Waiter<T, V>[] = [];
  /** Keys of the running items; other items with these keys wait. */
  const runningKeys = new Set<string>();
  let state: 'idle' | 'scheduled' | 'writing' = 'idle';
  let lastBatchSize = 0;
  const onEnd = (waiter: Waiter<T, V>) => {
    release(waiter);
    schedule();
  };
  const retries = new LockRetries(run, { senderOf, targetOf, maxBatchSize, maxWaiting, onEnd });

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
    const batch = takeBatch();
    state = batch.length > 0 ? 'writing' : 'idle';
    if (state === 'idle') return;
    const startNext = (toRetry: Retries<T, V>) => {
      const forNextBatch: Waiter<T, V>[] = [];
      for (const waiter of batch) {
        const how = toRetry.get(waiter);
        const isForNextBatch = how === RETRY_IN_NEXT_BATCH && ++waiter.batches < maxBatches;
        if (isForNextBatch) forNextBatch.push(waiter);
        if (!how || isForNextBatch) release(waiter);
        else if (how === RETRY_WITH_TARGET) retries.runWithTarget(waiter);
        else void retries.runAlone(waiter);
      }
      if (forNextBatch.length > 0) queue = [...forNextBatch, ...queue];
      flush();
    };
    void runBatch(batch, run, { startNext });
  };

  const schedule = () => {
    if (state !== 'idle' || queue.length === 0) return;
    state = 'scheduled';
    setImmediate(flush);
  };

  return (item) => {
    if (queue.length >= maxWaiting) return Promise.reject(new Unavailable());
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
