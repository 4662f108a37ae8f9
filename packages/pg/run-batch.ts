/** Runs batches and settles the promises of their items. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { patient, Unavailable, withTimeout } from '#base';
import { batchSpan, currentSpan, type Span } from '#telemetry';
import { isOutage } from './errors.ts';
import type { LockWaits } from './locks.ts';

/** The outcome of an item that needs a row which another transaction has locked. The item is run again individually. */
export const RETRY_INDIVIDUALLY = Symbol('retry individually');
/**
 * The outcome of an item whose target another transaction has locked: the row that all items change which compete with
 * it. The item is run again together with those.
 */
export const RETRY_WITH_TARGET = Symbol('retry with target');
/**
 * The outcome of an item that needs a lock which another transaction holds for a moment, such as that of its
 * idempotency key. The item joins the next batch, which costs less than a transaction of its own.
 */
export const RETRY_IN_NEXT_BATCH = Symbol('retry in the next batch');

export type Retry = typeof RETRY_INDIVIDUALLY | typeof RETRY_WITH_TARGET | typeof RETRY_IN_NEXT_BATCH;
type Outcome<V> = V | Error | Retry;
export type Run<T, V> = (items: T[], waits: LockWaits) => Promise<Outcome<V>[]>;
/**
 * `timeoutMs`: the time limit for waiting and for a batch. `batches`: the number of batches that the item has left for
 * the next one. `span`: that of the request which the item is from.
 */
export type Waiter<T, V> = {
  item: T;
  keys: string[];
  since: number;
  timeoutMs: number;
  batches: number;
  span: Span | undefined;
} & PromiseWithResolvers<V>;

export function waiterFor<T, V>(item: T, keys: string[], timeoutMs = defaultTimeoutMs): Waiter<T, V> {
  const { promise, resolve, reject } = Promise.withResolvers<V>();
  const since = performance.now();
  return { item, keys, since, timeoutMs, batches: 0, span: currentSpan(), promise, resolve, reject };
}

/** The promises that are settled in one turn of the event loop. */
const settledInTurn = 8;
/** The request timeout of most routes has sent a 503 by then. */
export const defaultTimeoutMs = 5_000;

/** Returns true if the item can still be run; rejects it otherwise. */
export function isWithinTimeout<T, V>({ since, timeoutMs, reject }: Waiter<T, V>): boolean {
  if (performance.now() - since <= patient(timeoutMs)) return true;
  reject(new Unavailable());
  return false;
}

export type Retries<T, V> = Map<Waiter<T, V>, Retry>;
type RunOptions<T, V> = { waits?: LockWaits; startNext?: (toRetry: Retries<T, V>) => void };

/**
 * Runs a batch and settles the promise of each item, except those that must be retried.
 * @param options.startNext called a turn of the event loop before the promises are settled: PostgreSQL receives the
 *   next batch first, and works on it while the responses are sent
 * @returns the items to retry
 */
export async function runBatch<T, V>(
  batch: Waiter<T, V>[],
  run: Run<T, V>,
  { waits = 'none', startNext = () => {} }: RunOptions<T, V> = {},
): Promise<Retries<T, V>> {
  let outcomes: Outcome<V>[];
  const toRetry: Retries<T, V> = new Map();
  try {
    const items = batch.map(({ item }) => item);
    // With a time limit, a connection without responses delays the requests of one batch only.
    const timeoutMs = batch[0]?.timeoutMs ?? defaultTimeoutMs;
    const start = () => batchSpan(batch, () => run(items, waits));
    outcomes = items.length > 0 ? await withTimeout(start(), patient(timeoutMs)) : [];
    if (waits !== 'all') {
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
  outcome === RETRY_INDIVIDUALLY || outcome === RETRY_WITH_TARGET || outcome === RETRY_IN_NEXT_BATCH;

function settle<T, V>({ resolve, reject }: Waiter<T, V>, outcome: Outcome<V>): void {
  if (isRetry(outcome)) reject(new Unavailable());
  else if (outcome instanceof Error) reject(outcome);
  else resolve(outcome as V);
}
