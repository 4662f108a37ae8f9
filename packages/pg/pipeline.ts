/** Sends statements of one transaction together, in an order that the caller cannot get wrong. */

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
