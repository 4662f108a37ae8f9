/** Locks rows in one order, whatever the order of the items. */
import { byPosition } from './queryable.ts';
import { empty, type Statement, sql } from './sql.ts';
import type { Transaction } from './transaction.ts';

/**
 * Which locks of other transactions a transaction waits for; it skips the other rows. `targets`: those of the rows that its
 * commands change in common, such as the counters of an event.
 */
export type LockWaits = 'none' | 'targets' | 'all';

/**
 * The end of a locking clause. A batch skips rows that another transaction has locked; retries wait for them
 * (lock-retries.ts). A lock on one row therefore delays no other item of the batch.
 */
export const skipLockedUnless = (mayWaitForLocks: boolean): Statement =>
  mayWaitForLocks ? empty : sql`skip locked`;

/**
 * Locks rows with a statement for each distinct key, in ascending order of the keys: of a table that is distributed over
 * several machines, only rows of a given key can be locked. The statements are sent together.
 * @param keyOf its order must be that of the rows in the lock order
 * @returns the results of `lock` by key
 */
export async function lockEach<T, R>(
  items: T[],
  keyOf: (item: T) => string,
  lock: (item: T) => Promise<R>,
): Promise<Map<string, R>> {
  const distinct = new Map(items.map((item) => [keyOf(item), item]));
  const sorted = [...distinct].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(await Promise.all(sorted.map(async ([key, item]) => [key, await lock(item)] as const)));
}

/**
 * Locks rows that a statement selects, in ascending order of their keys. One PostgreSQL locks the rows of all keys in one
 * statement. Citus can lock rows of a single node only, so a distributed database gets a statement for each key; they are
 * sent together.
 * @param keyOf its order must be that of the rows in the lock order; items with the same key select the same row
 * @param select a statement that locks rows of the items it is given in the order of their keys. `nth`: the number of
 *   the item, from 1
 * @returns for each item its row; undefined if the statement returned none
 */
export async function lockRows<R extends object, T>(
  tx: Transaction,
  items: T[],
  keyOf: (item: T) => string,
  select: (items: T[]) => Statement,
): Promise<(R | undefined)[]> {
  if (!tx.isDistributed) return byPosition(await tx.query<R & { nth: number }>(select(items)), items.length);
  const rows = await lockEach(items, keyOf, (item) => tx.query<R>(select([item])));
  return items.map((item) => rows.get(keyOf(item))?.[0]);
}

/** Sends its statements before it waits for anything. */
type Step<T> = () => Promise<T>;
type Steps = readonly Step<unknown>[];
type Results<S extends Steps> = { -readonly [I in keyof S]: Awaited<ReturnType<S[I]>> };

/**
 * Sends all steps in one turn of the event loop: they share a round trip, and PostgreSQL runs them one after the other.
 * @param locks in the order in which all transactions lock tables
 * @param reads run after the locks are held, so what the locks protect does not change any more
 */
export async function lockThenRead<const L extends Steps, const R extends Steps>(
  locks: L,
  reads: R,
): Promise<[locked: Results<L>, read: Results<R>]> {
  const sent = [...locks, ...reads].map((step) => step());
  const results = await Promise.all(sent);
  return [results.slice(0, locks.length) as Results<L>, results.slice(locks.length) as Results<R>];
}
