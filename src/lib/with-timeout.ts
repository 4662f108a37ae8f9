import { Problem } from './errors.ts';

/**
 * The outcome of `work`, if it settles within `timeoutMs`. The timeout does not cancel the work.
 * @throws the error of `late` after the timeout; default: Problem `unavailable`
 */
export async function withTimeout<T>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => Error = () => new Problem('unavailable'),
): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(late()), timeoutMs);
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
