/** How callers wait for work: they share its result, and they wait for a limited time. */

/** Work that was not done, or not in time, because something is down or full. The same request may succeed later. */
export class Unavailable extends Error {
  readonly code = 'unavailable';
  /** In seconds; undefined if nothing is known about when to try again. */
  readonly retryAfter: number | undefined;

  constructor(retryAfter?: number) {
    super('unavailable');
    this.retryAfter = retryAfter;
  }
}

/**
 * How long this process waits for the database, for places and for its own work. A server waits as long as people would.
 * Tests about other things wait longer, because a machine that does other work may be slow.
 */
let patience = 1;

/** A time limit in ms, as it is now: to be read where the limit is used. */
export const patient = (limitMs: number): number => limitMs * patience;

/** For tests alone. Connections that are open keep their limits. @param factor 1 in every server */
export function setPatience(factor: number): void {
  patience = factor;
}

/**
 * The outcome of `work`, if it settles within `timeoutMs`. The timeout does not cancel the work.
 * @throws the error of `late` after the timeout; default: Unavailable
 */
export async function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error = () => new Unavailable(),
): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(late()), timeoutMs);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `create` with the first use, and returns the same promise from then on; after a failure, calls it again. */
export function lazily<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create().catch((error) => {
      created = undefined;
      throw error;
    });
    return created;
  };
}

/** Returns a function that runs `work`. Calls that come while it runs share the run and its result. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= work().finally(() => {
      running = null;
    });
    return running;
  };
}
