/** Contacts: a phone number or a mail address. Codes are sent to a contact, and an account is found by it. */
import { invalid } from './errors.ts';
import { foldAddress, isMailAddress } from './mail-address.ts';
import { type CountryCode, readPhone } from './phone.ts';

export const contactKinds = ['phone', 'email'] as const;
export type ContactKind = (typeof contactKinds)[number];

/** `value`: a number in E.164 format, or an address as it was typed. */
export type Contact = { kind: ContactKind; value: string };

/** The contacts of an account: at least one is not null. */
export type Contacts = Record<ContactKind, string | null>;

/** The phone number is the first. */
export const contactsOf = (account: Contacts): Contact[] =>
  contactKinds.flatMap((kind) => {
    const value = account[kind];
    return value === null ? [] : { kind, value };
  });

/**
 * What all spellings of a contact have in common. A number starts with + and has no @, so the keys of a number and of an
 * address differ.
 */
export const keyOf = ({ kind, value }: Contact): string => (kind === 'phone' ? value : foldAddress(value));

/** @throws Problem `invalid_request` as `readPhone` does */
export const readNumber = (text: string, from?: CountryCode): Contact => ({
  kind: 'phone',
  value: readPhone(text, from).number,
});

/**
 * Reads an address as people type it, with spaces and direction marks around it.
 * @throws Problem `invalid_request`
 */
export function readAddress(text: string): Contact {
  const value = text
    .normalize('NFC')
    .replace(/\p{Cf}/gu, '')
    .trim();
  if (!isMailAddress(value))
    throw invalid('email', 'must be a mail address, such as mara@example.org', 'email');
  return { kind: 'email', value };
}
