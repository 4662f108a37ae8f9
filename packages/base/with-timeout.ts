import { Unavailable } from './unavailable.ts';

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
