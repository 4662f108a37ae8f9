import { secondsToNextUtcDay } from '#base';
import type { Transaction } from '#pg';
import type { ReadyConfig } from '../../../config/config.ts';
import type { Contact } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { countSend } from './repo.ts';
import type { Trust } from './requesters.ts';
import { isOverLimit, namesOf, scopesOf } from './send-limits.ts';

type Message = { contact: Contact; address: string; trust: Trust; now: Date };

/**
 * Counts a message that a client at `address` causes. Throwing rolls the counts back.
 * @returns the names of the scopes that count it, and the messages to the contact today
 * @throws Problem `too_many_codes` above a limit of the day
 */
export async function countMessage(
  tx: Transaction,
  config: Pick<ReadyConfig, 'secretKey' | 'smsPerDay'>,
  { contact, address, trust, now }: Message,
): Promise<{ scopes: string[]; toContact: number }> {
  const scopes = scopesOf(config.secretKey, contact, address, trust);
  const names = namesOf(scopes);
  const sent = await countSend(tx, names, now);
  if (isOverLimit(scopes, sent, trust, config))
    throw new Problem('too_many_codes', { retryAfter: secondsToNextUtcDay(now) });
  return { scopes: names, toContact: sent(scopes.contact) };
}
