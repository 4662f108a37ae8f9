/**
 * How often a client network may fail to prove something in a day (UTC): 50 times to sign in at the OpenID Connect provider or to
 * set the server up, as often as it may request codes. Each sign-in at the provider makes the server call the provider. Attempts
 * that succeed do not count. An IPv6 /56 may fail twice as often, and a /48 four times.
 */
import { transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { secondsToNextUtcDay } from '../../lib/time.ts';
import { countSend, subtractSend } from './codes-repo.ts';
import { type FailureUse, networkScopes } from './send-limits.ts';
import type { AuthServices } from './services.ts';

const maxFailures = 50;

/** @throws Problem `too_many_tries`, and the error of `work` */
export async function countingFailures<T>(
  use: FailureUse,
  { db, config, clock }: Pick<AuthServices, 'db' | 'config' | 'clock'>,
  { ip }: { ip: string },
  work: () => Promise<T>,
): Promise<T> {
  const now = clock();
  const networks = networkScopes(use, config.secretKey, ip);
  const scopes = networks.map(({ scope }) => scope);
  await transaction(db, async (tx) => {
    const failed = await countSend(tx, scopes, now);
    if (networks.some(({ scope, times }) => failed(scope) > maxFailures * times))
      throw new Problem('too_many_tries', { retryAfter: secondsToNextUtcDay(now) });
  });
  const result = await work();
  await transaction(db, (tx) => subtractSend(tx, scopes, now));
  return result;
}
