/**
 * How many sign-ins of a client network may fail at the provider: 50 a day (UTC), as many as it may request codes. Each makes the
 * server call the provider. Sign-ins that succeed do not count.
 */
import { transaction } from '../../db/transaction.ts';
import { Problem } from '../../lib/errors.ts';
import { secondsToNextUtcDay } from '../../lib/time.ts';
import { countSend, subtractSend } from '../auth/codes-repo.ts';
import { networkScope } from '../auth/send-limits.ts';
import type { OidcServices } from './services.ts';

const maxFailures = 50;

/** @throws Problem `too_many_tries`, and the error of `work` */
export async function countingFailures<T>(
  { db, config, clock }: OidcServices,
  { ip }: { ip: string },
  work: () => Promise<T>,
): Promise<T> {
  const now = clock();
  const network = networkScope('oidc', config.secretKey, ip);
  await transaction(db, async (tx) => {
    const sent = await countSend(tx, { network }, now);
    if (sent.network > maxFailures)
      throw new Problem('too_many_tries', { retryAfter: secondsToNextUtcDay(now) });
  });
  const result = await work();
  await transaction(db, (tx) => subtractSend(tx, [network], now));
  return result;
}
