/** Addresses of mailboxes, as mail servers accept them in a command. */
import { keyedHash } from './keyed-hash.ts';

/** RFC 5321 allows 64 characters before the `@`, and 254 for an address in a command. */
const [maxLocal, maxLength] = [64, 254];

/** Without the quoted names of RFC 5322, which no provider gives out; the domain may be internationalized. */
const pattern =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}])?$/u;

/** Whether mails can be sent to a text. The domain needs no dot: a server may deliver to its own machine. */
export const isMailAddress = (text: string): boolean =>
  text.length <= maxLength && text.indexOf('@') <= maxLocal && !text.includes('..') && pattern.test(text);

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1);

/** Without the case of ASCII letters: addresses that are equal then reach the same mailbox. */
export const foldAddress = (address: string): string =>
  address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The key by which tables know an address. Without the server's key, they cannot be searched for it. */
export const hashAddress = (key: string, address: string): Buffer =>
  keyedHash(key, 'mail address', foldAddress(address));
