/**
 * How many texts with codes may be sent: one a minute to a number for each kind of trust, and in a day (UTC):
 *
 * | texts | unknown requester | known network | known device |
 * |---|---|---|---|
 * | to a number | 11 | 13 | 15 |
 * | to a number, requested by unknown networks, whose codes were not used | 10 | – | – |
 * | from a client network | 50 | 50 | 75 |
 * | to a block of 10,000 numbers | 100 | 200 | 200 |
 * | to a country | 1,000 | 1,200 | 1,200 |
 * | to a block or country that has reached its limit, from a client network | 2 | 2 | 2 |
 * | in total | `SMS_PER_DAY` | `SMS_PER_DAY` | `SMS_PER_DAY` |
 *
 * A number that unknown networks have used up stays usable: a text reaches its owner, no matter who requested it, and from the
 * tenth text on, codes are valid until the day ends. A text whose code is used makes room for another.
 */
import type { ReadyConfig } from '../../lib/config.ts';
import { networkOf } from '../../lib/ip-address.ts';
import { keyedHash } from '../../lib/keyed-hash.ts';
import type { Phone } from '../../lib/phone.ts';
import { nextUtcDay } from '../../lib/time.ts';
import { hashPhone, numberScope, strangersScope } from './code-hashes.ts';
import type { Trust } from './requesters.ts';

export const resendAfterMs = 60_000;
const codeLifetimeMs = 5 * 60_000;

const limits: Record<Trust, Record<'number' | 'network' | 'block' | 'country', number>> = {
  unknown: { number: 11, network: 50, block: 100, country: 1_000 },
  network: { number: 13, network: 50, block: 200, country: 1_200 },
  device: { number: 15, network: 75, block: 200, country: 1_200 },
};
const maxUnused = 10;
/** Texts of each network to a block or country above its limit. Strangers in 20 networks leave two to any other one. */
const maxShare = 2;
const shares = 21 * maxShare;

type Counted = 'number' | 'network' | 'block' | 'shareOfBlock' | 'country' | 'shareOfCountry' | 'everybody';
/** The rows of `code_sends` that a text counts in. `strangers`: only for unknown requesters. */
export type SendScopes = Record<Counted, string> & { strangers?: string };
/** The counts, with the text that is to be sent. */
export type SendCounts = Record<Counted, number> & { strangers?: number };

export function scopesOf(key: string, phone: Phone, address: string, trust: Trust): SendScopes {
  const phoneHash = hashPhone(key, phone.number);
  const network = `address:${keyedHash(key, 'address', networkOf(address)).toString('base64url')}`;
  const [block, country] = [`prefix:${phone.number.slice(0, -4)}`, `country:${phone.country ?? 'none'}`];
  return {
    number: numberScope(phoneHash),
    ...(trust === 'unknown' && { strangers: strangersScope(phoneHash) }),
    network,
    block,
    shareOfBlock: `${network}:${block}`,
    country,
    shareOfCountry: `${network}:${country}`,
    everybody: 'everybody',
  };
}

export function isOverLimit(
  sent: SendCounts,
  trust: Trust,
  { smsPerDay }: Pick<ReadyConfig, 'smsPerDay'>,
): boolean {
  const max = limits[trust];
  const sharesFor = (own: number) => (own <= maxShare ? shares : 0);
  return (
    sent.number > max.number ||
    (sent.strangers ?? 0) > maxUnused ||
    sent.network > max.network ||
    sent.block > max.block + sharesFor(sent.shareOfBlock) ||
    sent.country > max.country + sharesFor(sent.shareOfCountry) ||
    sent.everybody > smsPerDay
  );
}

/** @param toNumber the texts to the number today, with that of this code; 0 if they are not counted */
export function expiryOf(now: Date, toNumber: number): Date {
  const expiry = now.getTime() + codeLifetimeMs;
  return new Date(toNumber < maxUnused ? expiry : Math.max(expiry, nextUtcDay(now)));
}
