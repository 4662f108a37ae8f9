/** Addresses of mailboxes, as mail servers accept them in a command. */
import { domainToASCII } from 'node:url';
import { keyedHash } from '#base';
import { normalize } from './user-texts/normalize.ts';

/** RFC 5321 allows 64 characters before the `@`, and 254 for an address in a command. */
const [maxLocal, maxLength] = [64, 254];

/** Without the quoted names of RFC 5322, which no provider gives out. */
const local = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** As people type it: up to 253 characters, in labels of up to 63, with any of the dots that IDNA knows and one at the end. */
const typedDomain = /^(?=.{1,253}$)[\p{L}\p{M}\p{N}-]{1,63}(?:[.。．｡][\p{L}\p{M}\p{N}-]{1,63})*[.。．｡]?$/u;
/** As mail servers know it. A name that ends in a number would be an IPv4 address. */
const domain =
  /^(?=.{1,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)*(?!\d+$)[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

/**
 * Returns the one form of an address that all its spellings have: the domain in ASCII (Punycode) without a dot at its end, and
 * letters in lower case and without compatibility forms such as full-width ones. Tables have addresses in this form, and mails are
 * sent to it: whoever proves to own a spelling has read a mail to the address of the account. The lengths are checked before
 * anything is normalized, because the conversion of a domain takes quadratic time. The domain needs no dot: a server may deliver to
 * its own machine.
 * @returns null if no mail can be sent to the text
 */
export function canonicalAddress(text: string): string | null {
  const at = text.indexOf('@');
  const [name, host] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || text.length > maxLength || at > maxLocal || !local.test(name) || !typedDomain.test(host))
    return null;
  const canonicalName = normalize(normalize(name, 'NFKC').toLowerCase(), 'NFKC');
  const canonicalHost = domainToASCII(host).replace(/\.$/, '');
  const address = `${canonicalName}@${canonicalHost}`;
  const isValid = canonicalName.length <= maxLocal && local.test(canonicalName) && domain.test(canonicalHost);
  return isValid && address.length <= maxLength ? address : null;
}

/** Whether mails can be sent to a text. */
export const isMailAddress = (text: string): boolean => canonicalAddress(text) !== null;

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** The key by which tables know an address. Without the server's key, they cannot be searched for it. */
export const hashAddress = (key: string, address: string): Buffer =>
  keyedHash(key, 'mail address', canonicalAddress(address) ?? address);
