/**
 * Coalescing: requests that arrive while the database is busy are answered by one statement. A batch costs one round
 * trip, one snapshot and one commit, whatever it holds, so the busier the server, the cheaper each request.
 *
 * Nobody waits for a batch to fill: what has arrived in one turn of the event loop goes out at its end, and what
 * arrives while batches are under way goes out with the next. Every statement begins after the requests that it
 * answers have arrived, so each sees all that was acknowledged before it.
 */
import { Problem } from '../lib/errors.ts';
import { isOutage } from './errors.ts';

/** What `run` gives for an item that would hold up the others of its batch: it is run again on its own. */
export const RETRY_INDIVIDUALLY = Symbol('run this one alone');

type Options<T> = {
  /** Items in a batch. */
  maxBatchSize?: number;
  /** Items that may wait; one more gets a 503. Bounds memory, and the time that anybody waits. */
  maxWaiting?: number;
  keyOf: (item: T) => string;
};

type Waiter<T, V> = { item: T; key: string; since: number } & PromiseWithResolvers<V>;

function waiterFor<T, V>(item: T, key: string): Waiter<T, V> {
  const { promise, resolve, reject } = Promise.withResolvers<V>();
  return { item, key, since: performance.now(), promise, resolve, reject };
}

const defaultMost = 128;
const defaultWaiting = 10_000;
/** Fewer than these are one batch of writes at any rate. */
const crowd = 16;
/** In ms. Whoever waited longer has had a 503 by now; there is nobody left to answer. */
const patience = 5_000;

/** True for what is still worth running; tells the others that it was not. */
function isWanted<T, V>({ since, reject }: Waiter<T, V>): boolean {
  if (performance.now() - since <= patience) return true;
  reject(new Problem('unavailable'));
  return false;
}

/**
 * Reads: those with one key share one answer.
 * @param run answers a batch of items with different keys, one answer for each in order
 * @param options.concurrency batches under way at the same time
 * @returns reads one item; @throws whatever `run` throws, and Problem `unavailable` when too many wait
 */
export function createLoader<T, V>(
  run: (items: T[]) => Promise<V[]>,
  {
    keyOf,
    concurrency = 1,
    maxBatchSize = defaultMost,
    maxWaiting = defaultWaiting,
  }: Options<T> & { concurrency?: number },
): (item: T) => Promise<V> {
  let queue = new Map<string, Waiter<T, V>>();
  let underWay = 0;
  let scheduled = false;

  const flush = () => {
    scheduled = false;
    while (underWay < concurrency && queue.size > 0) {
      // A new Map each time: one that is filled and emptied for ever keeps garbage alive (as in http/deadline.ts).
      const waiters = [...queue.values()];
      const batch = waiters.splice(0, maxBatchSize);
      queue = new Map(waiters.map((waiter) => [waiter.key, waiter]));
      underWay++;
      const next = () => {
        underWay--;
        flush();
      };
      void answer(batch.filter(isWanted), run, { next }).then((set) => {
        for (const waiter of set) void answer([waiter], run);
      });
    }
  };

  return (item) => {
    const key = keyOf(item);
    const known = queue.get(key);
    if (known) return known.promise;
    if (queue.size >= maxWaiting) return Promise.reject(new Problem('unavailable'));
    const waiter = waiterFor<T, V>(item, key);
    queue.set(key, waiter);
    if (!scheduled && underWay < concurrency) {
      scheduled = true;
      setImmediate(flush);
    }
    return waiter.promise;
  };
}

/**
 * Writes: one batch at a time, so what fights for the same row meets in a batch instead of in the database. Two items of
 * one key never share a batch and keep the order in which they came.
 * @param run answers a batch, an outcome for each item in order: its value, the Error that refuses it, or `alone` for
 *   one that would make the others wait: it is run again beside the batches, with `isAlone`, where it may wait.
 *   It must have no effect when it throws; then each item is run again on its own, so that one caller's failure is
 *   nobody else's.
 */
export function createWriteBatcher<T, V>(
  run: Run<T, V>,
  { keyOf, maxBatchSize = defaultMost, maxWaiting = defaultWaiting }: Options<T>,
): (item: T) => Promise<V> {
  let queue: Waiter<T, V>[] = [];
  /** Keys under way; whatever else has one of them waits for it. */
  const held = new Set<string>();
  let isBusy = false;
  let scheduled = false;
  let lastSize = 0;
  /** One at a time beside the batches: each may wait for a lock, with a connection that others need. */
  let apart: Promise<void> = Promise.resolve();

  const take = (): Waiter<T, V>[] => {
    const batch: Waiter<T, V>[] = [];
    const left: Waiter<T, V>[] = [];
    const passed = new Set<string>();
    // Of many, half of those who are about, those just answered among them: one half is in the database while the
    // other is read and answered. All in one batch would have the app and the database wait for each other in turns.
    const about = queue.length + lastSize;
    const share = Math.min(maxBatchSize, about < crowd ? about : Math.ceil(about / 2));
    for (const waiter of queue) {
      if (!isWanted(waiter)) continue;
      if (batch.length < share && !held.has(waiter.key) && !passed.has(waiter.key)) {
        batch.push(waiter);
        held.add(waiter.key);
      } else {
        left.push(waiter);
        passed.add(waiter.key);
      }
    }
    queue = left;
    lastSize = batch.length;
    return batch;
  };

  const flush = () => {
    scheduled = false;
    if (isBusy) return;
    const batch = take();
    if (batch.length === 0) return;
    isBusy = true;
    const next = (set: Waiter<T, V>[]) => {
      isBusy = false;
      const passedOver = new Set(set);
      for (const waiter of batch) if (!passedOver.has(waiter)) held.delete(waiter.key);
      for (const waiter of set) apart = apart.then(() => runIndividually(waiter));
      flush();
    };
    void answer(batch, run, { next });
  };

  const runIndividually = async (waiter: Waiter<T, V>) => {
    if (isWanted(waiter)) await answer([waiter], run, { mayWaitForLocks: true });
    held.delete(waiter.key);
    schedule();
  };

  const schedule = () => {
    if (scheduled || isBusy || queue.length === 0) return;
    scheduled = true;
    setImmediate(flush);
  };

  return (item) => {
    if (queue.length >= maxWaiting) return Promise.reject(new Problem('unavailable'));
    const waiter = waiterFor<T, V>(item, keyOf(item));
    queue.push(waiter);
    schedule();
    return waiter.promise;
  };
}

type Run<T, V> = (items: T[], mayWaitForLocks: boolean) => Promise<(V | Error | typeof RETRY_INDIVIDUALLY)[]>;
type Outcome<V> = V | Error | typeof RETRY_INDIVIDUALLY;

/**
 * Runs a batch and tells each waiter its outcome.
 * @param next told of those that are to be run again on their own, before anybody is told: the database gets its next
 *   batch first, and works on it while the answers go out
 * @returns the same
 */
async function answer<T, V>(
  batch: Waiter<T, V>[],
  run: Run<T, V>,
  {
    mayWaitForLocks = false,
    next = () => {},
  }: { mayWaitForLocks?: boolean; next?: (set: Waiter<T, V>[]) => void } = {},
): Promise<Waiter<T, V>[]> {
  let outcomes: Outcome<V>[];
  let set: Waiter<T, V>[] = [];
  try {
    const items = batch.map(({ item }) => item);
    outcomes = items.length > 0 ? await inTime(run(items, mayWaitForLocks)) : [];
    if (!mayWaitForLocks) set = batch.filter((_, i) => outcomes[i] === RETRY_INDIVIDUALLY);
  } catch (error) {
    // Whether a batch took effect whose connection was lost cannot be known; it is not tried again.
    if (batch.length > 1 && !isOutage(error)) set = batch;
    outcomes = batch.map(() => error as Error);
  }
  next(set);
  const passedOver = new Set(set);
  for (const [i, waiter] of batch.entries()) {
    if (!passedOver.has(waiter)) tell(waiter, outcomes[i] as Outcome<V>);
  }
  return set;
}

const silent = () => Object.assign(new Error('The database does not answer'), { code: 'ETIMEDOUT' });

/** A connection that went silent must hold up nobody for longer than the requests of one batch. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(silent()), patience);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tell<T, V>({ resolve, reject }: Waiter<T, V>, outcome: Outcome<V>): void {
  if (outcome === RETRY_INDIVIDUALLY) reject(new Problem('unavailable'));
  else if (outcome instanceof Error) reject(outcome);
  else resolve(outcome as V);
}
