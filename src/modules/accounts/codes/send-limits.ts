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
 * | texts in total | four fifths of `SMS_PER_DAY` | `SMS_PER_DAY` | `SMS_PER_DAY` |
 *
 * Twice as many messages may come from an IPv6 /56, and four times as many from a /48 (lib/ip-address.ts).
 *
 * A contact that unknown networks have used up stays usable: a message reaches its owner, no matter who requested it, and from
 * the tenth message on, codes are valid until the day ends. A message whose code is used makes room for another. Mails cost the
 * operator nothing: the mailer bounds all of them together (mail/allowance.ts).
 */
import { keyedHash, networksOf, nextUtcDay } from '#base';
import type { ReadyConfig } from '../../../config/config.ts';
import type { Contact } from '../../../lib/contact.ts';
import { readPhone } from '../../../lib/phone.ts';
import { contactScope, hashContact, strangersScope } from './hashes.ts';
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

/** The part of `SMS_PER_DAY` that unknown requesters can use up. */
const shareOfUnknown = 4 / 5;

/** What a client network may fail to prove. */
export type FailureUse = 'oidc' | 'setup' | 'code';

/** A row of `code_sends` of a client network. `times`: how many times the limit it may count (lib/ip-address.ts). */
type NetworkScope = { scope: string; times: number };
/** `strangers`: only for unknown requesters. `texts`: only for texts, which cost money. */
export type SendScopes = {
  contact: string;
  strangers: string | undefined;
  networks: NetworkScope[];
  texts: TextScopes | undefined;
};
type TextScopes = { block: ShareScopes; country: ShareScopes; everybody: string };
/** `shares`: the messages of each network of the client to the block or country. */
type ShareScopes = { all: string; shares: string[] };

/** The scopes of the networks of a client. @param use what is counted: uses do not share counts */
export const networkScopes = (use: 'address' | FailureUse, key: string, address: string): NetworkScope[] =>
  networksOf(address).map(({ id, times }) => ({
    scope: `${use}:${keyedHash(key, 'address', id).toString('base64url')}`,
    times,
  }));

export function scopesOf(key: string, contact: Contact, address: string, trust: Trust): SendScopes {
  const contactHash = hashContact(key, contact);
  const networks = networkScopes('address', key, address);
  return {
    contact: contactScope(contactHash),
    strangers: trust === 'unknown' ? strangersScope(contactHash) : undefined,
    networks,
    texts: contact.kind === 'phone' ? scopesOfText(contact.value, networks) : undefined,
  };
}

function scopesOfText(number: string, networks: NetworkScope[]): TextScopes {
  const withShares = (all: string) => ({ all, shares: networks.map(({ scope }) => `${scope}:${all}`) });
  return {
    block: withShares(`prefix:${number.slice(0, -4)}`),
    country: withShares(`country:${readPhone(number).country ?? 'none'}`),
    everybody: 'everybody',
  };
}

/** The names of all rows. */
export const namesOf = ({ contact, strangers, networks, texts }: SendScopes): string[] => [
  contact,
  ...(strangers === undefined ? [] : [strangers]),
  ...networks.map(({ scope }) => scope),
  ...(texts ? [texts.block, texts.country].flatMap(({ all, shares }) => [all, ...shares]) : []),
  ...(texts ? [texts.everybody] : []),
];

/** @param sent the messages of the day in a scope, with the one that is to be sent */
export function isOverLimit(
  { contact, strangers, networks, texts }: SendScopes,
  sent: (scope: string) => number,
  trust: Trust,
  config: Pick<ReadyConfig, 'smsPerDay'>,
): boolean {
  const max = limits[trust];
  return (
    sent(contact) > max.contact ||
    (strangers !== undefined && sent(strangers) > maxUnused) ||
    networks.some(({ scope, times }) => sent(scope) > max.network * times) ||
    (texts !== undefined && isOverTextLimit(texts, sent, trust, config))
  );
}

function isOverTextLimit(
  { block, country, everybody }: TextScopes,
  sent: (scope: string) => number,
  trust: Trust,
  { smsPerDay }: Pick<ReadyConfig, 'smsPerDay'>,
): boolean {
  const max = limits[trust];
  const isOver = ({ all, shares: own }: ShareScopes, maxOfAll: number) =>
    sent(all) > maxOfAll + (own.every((scope) => sent(scope) <= maxShare) ? shares : 0);
  const total = trust === 'unknown' ? Math.max(1, Math.floor(smsPerDay * shareOfUnknown)) : smsPerDay;
  return isOver(block, max.block) || isOver(country, max.country) || sent(everybody) > total;
}

/** @param toContact the messages to the contact today, with that of this code; 0 if they are not counted */
export function expiryOf(now: Date, toContact: number): Date {
  const expiry = now.getTime() + codeLifetimeMs;
  return new Date(toContact < maxUnused ? expiry : Math.max(expiry, nextUtcDay(now)));
}
