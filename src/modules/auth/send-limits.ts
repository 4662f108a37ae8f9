/**
 * How many messages with codes may be sent: one a minute to a contact for each kind of trust, and in a day (UTC):
 *
 * | messages | unknown requester | known network | known device |
 * |---|---|---|---|
 * | to a contact | 11 | 13 | 15 |
 * | to a contact, requested by unknown networks, whose codes were not used | 10 | – | – |
 * | from a client network | 50 | 50 | 75 |
 * | texts to a block of 10,000 numbers | 100 | 200 | 200 |
 * | texts to a country | 1,000 | 1,200 | 1,200 |
 * | texts to a block or country that has reached its limit, from a client network | 2 | 2 | 2 |
 * | texts in total | `SMS_PER_DAY` | `SMS_PER_DAY` | `SMS_PER_DAY` |
 *
 * A contact that unknown networks have used up stays usable: a message reaches its owner, no matter who requested it, and from
 * the tenth message on, codes are valid until the day ends. A message whose code is used makes room for another. Mails cost the
 * operator nothing: the mailer bounds all of them together.
 */
import type { ReadyConfig } from '../../lib/config.ts';
import type { Contact } from '../../lib/contact.ts';
import { networkOf } from '../../lib/ip-address.ts';
import { keyedHash } from '../../lib/keyed-hash.ts';
import { readPhone } from '../../lib/phone.ts';
import { nextUtcDay } from '../../lib/time.ts';
import { contactScope, hashContact, strangersScope } from './code-hashes.ts';
import type { Trust } from './requesters.ts';

export const resendAfterMs = 60_000;
const codeLifetimeMs = 5 * 60_000;

const limits: Record<Trust, Record<'contact' | 'network' | 'block' | 'country', number>> = {
  unknown: { contact: 11, network: 50, block: 100, country: 1_000 },
  network: { contact: 13, network: 50, block: 200, country: 1_200 },
  device: { contact: 15, network: 75, block: 200, country: 1_200 },
};
const maxUnused = 10;
/** Texts of each network to a block or country above its limit. Strangers in 20 networks leave two to any other one. */
const maxShare = 2;
const shares = 21 * maxShare;

type Counted = 'contact' | 'network';
/** `strangers`: only for unknown requesters. The others: only for texts, which cost money. */
type CountedForSome = 'strangers' | 'block' | 'shareOfBlock' | 'country' | 'shareOfCountry' | 'everybody';
type Counts<T> = Record<Counted, T> & Partial<Record<CountedForSome, T>>;
/** The rows of `code_sends` that a message counts in. */
export type SendScopes = Counts<string>;
/** The counts, with the message that is to be sent. */
export type SendCounts = Counts<number>;

/** What a client network may fail to prove, beside codes. */
export type FailureUse = 'oidc' | 'setup';

/** The scope of a client network. @param use what is counted: uses do not share counts */
export const networkScope = (use: 'address' | FailureUse, key: string, address: string): string =>
  `${use}:${keyedHash(key, 'address', networkOf(address)).toString('base64url')}`;

export function scopesOf(key: string, contact: Contact, address: string, trust: Trust): SendScopes {
  const contactHash = hashContact(key, contact);
  const network = networkScope('address', key, address);
  return {
    contact: contactScope(contactHash),
    ...(trust === 'unknown' && { strangers: strangersScope(contactHash) }),
    network,
    ...(contact.kind === 'phone' && scopesOfTexts(contact.value, network)),
  };
}

function scopesOfTexts(number: string, network: string) {
  const [block, country] = [
    `prefix:${number.slice(0, -4)}`,
    `country:${readPhone(number).country ?? 'none'}`,
  ];
  return {
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
  const { strangers = 0, block = 0, shareOfBlock = 0, country = 0, shareOfCountry = 0, everybody = 0 } = sent;
  const sharesFor = (own: number) => (own <= maxShare ? shares : 0);
  return (
    sent.contact > max.contact ||
    strangers > maxUnused ||
    sent.network > max.network ||
    block > max.block + sharesFor(shareOfBlock) ||
    country > max.country + sharesFor(shareOfCountry) ||
    everybody > smsPerDay
  );
}

/** @param toContact the messages to the contact today, with that of this code; 0 if they are not counted */
export function expiryOf(now: Date, toContact: number): Date {
  const expiry = now.getTime() + codeLifetimeMs;
  return new Date(toContact < maxUnused ? expiry : Math.max(expiry, nextUtcDay(now)));
}
