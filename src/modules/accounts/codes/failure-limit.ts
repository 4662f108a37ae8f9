/**
 * How often a client network may fail to prove something in a day (UTC). Each sign-in at the OpenID Connect provider makes the server
 * call the provider. A wrong code is stored, also for a contact that was sent none. An IPv6 /56 may fail twice as often, and a /48
 * four times. Attempts that succeed do not count.
 */
import { secondsToNextUtcDay } from '#base';
import { type Transaction, transaction } from '#pg';
import type { ReadyConfig } from '../../../config/config.ts';
import { Problem } from '../../../lib/errors.ts';
import type { AccountServices } from '../services.ts';
import { countSend, subtractSend } from './repo.ts';
import { type FailureUse, networkScopes } from './send-limits.ts';

/** `code`: of an unknown network, for all contacts together. Each contact has limits of its own (try-limits.ts). */
const maxFailures: Record<FailureUse, number> = { oidc: 50, setup: 50, code: 200 };

type Attempt = { use: FailureUse; address: string; now: Date };

/**
 * Counts an attempt as a failure before its outcome is known: of concurrent attempts on several servers, each counts the others.
 * @returns what takes the count back if the attempt succeeds; or a Problem `too_many_tries`
 */
export async function countFailure(
  tx: Transaction,
  { secretKey }: Pick<ReadyConfig, 'secretKey'>,
  { use, address, now }: Attempt,
): Promise<Problem | { scopes: string[] }> {
  const networks = networkScopes(use, secretKey, address);
  const scopes = networks.map(({ scope }) => scope);
  const failed = await countSend(tx, scopes, now);
  if (networks.some(({ scope, times }) => failed(scope) > maxFailures[use] * times))
    return new Problem('too_many_tries', { retryAfter: secondsToNextUtcDay(now) });
  return { scopes };
}

/** @throws Problem `too_many_tries`, and the error of `work` */
export async function countingFailures<T>(
  use: FailureUse,
  { db, config, clock }: Pick<AccountServices, 'db' | 'config' | 'clock'>,
  { ip: address }: { ip: string },
  work: () => Promise<T>,
): Promise<T> {
  const now = clock();
  const scopes = await transaction(db, async (tx) => {
    const counted = await countFailure(tx, config, { use, address, now });
    if (counted instanceof Problem) throw counted;
    return counted.scopes;
  });
  const result = await work();
  await transaction(db, (tx) => subtractSend(tx, scopes, now));
  return result;
}
