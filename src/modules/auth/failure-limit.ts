/**
 * How often a client network may fail to prove something other than a code: 50 times a day (UTC), as often as it may request
 * codes. Each sign-in at the OpenID Connect provider makes the server call the provider. Attempts that succeed do not count.
 */
import { transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { secondsToNextUtcDay } from '../../lib/time.ts';
import { countSend, subtractSend } from './codes-repo.ts';
import { type FailureUse, networkScope } from './send-limits.ts';
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
  const network = networkScope(use, config.secretKey, ip);
  await transaction(db, async (tx) => {
    const sent = await countSend(tx, { network }, now);
    if (sent.network > maxFailures)
      throw new Problem('too_many_tries', { retryAfter: secondsToNextUtcDay(now) });
  });
  const result = await work();
  await transaction(db, (tx) => subtractSend(tx, [network], now));
  return result;
}
