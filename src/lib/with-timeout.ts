import { Problem } from './errors.ts';

/**
 * The outcome of `work`, if it settles within `timeoutMs`. The timeout does not cancel the work.
 * @throws Problem `unavailable` after the timeout
 */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Problem('unavailable')), timeoutMs);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
