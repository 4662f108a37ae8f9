/**
 * Contacts: what finds the account of a person who signs in. Codes are sent to a phone number or a mail address. The third kind
 * is an identity at an OpenID Connect provider, to which nothing can be sent.
 */
import { invalid } from './errors.ts';
import { foldAddress, isMailAddress } from './mail-address.ts';
import { type CountryCode, readPhone } from './phone.ts';
import { normalize } from './user-texts/normalize.ts';

/** Contacts that messages can be sent to. */
export const messageKinds = ['phone', 'email'] as const;
export const contactKinds = [...messageKinds, 'oidc'] as const;
export type ContactKind = (typeof contactKinds)[number];
export type MessageKind = (typeof messageKinds)[number];

/**
 * `value`: a number in E.164 format; an address as it was typed; or the issuer and the subject of an identity, with a space
 * between them.
 */
export type Contact = { kind: ContactKind; value: string };
export type MessageContact = Contact & { kind: MessageKind };

/** The contacts of an account: at least one is not null. */
export type Contacts = Record<ContactKind, string | null>;

/** The phone number is the first, and the identity the last. */
export const contactsOf = (account: Contacts): Contact[] =>
  contactKinds.flatMap((kind) => {
    const value = account[kind];
    return value ? { kind, value } : [];
  });

export const canReceive = (contact: Contact): contact is MessageContact => contact.kind !== 'oidc';

/** A space is in no issuer, number and address, so an issuer cannot pass for the start of another, nor an identity for a contact of another kind. */
export const identityOf = (issuer: string, subject: string): Contact => ({
  kind: 'oidc',
  value: `${issuer} ${subject}`,
});

/** @param identity the value of a contact. @param issuer undefined if the server has no provider */
export const isIdentityAt = (identity: string, issuer: string | undefined): boolean =>
  issuer !== undefined && identity.startsWith(`${issuer} `);

/**
 * What all spellings of a contact have in common. A number starts with + and has no @, an identity has a space, and an address
 * has none, so the keys of contacts of different kinds differ.
 */
export const keyOf = ({ kind, value }: Contact): string => (kind === 'email' ? foldAddress(value) : value);

/** @throws Problem `invalid_request` as `readPhone` does */
export const readNumber = (text: string, from?: CountryCode): MessageContact => ({
  kind: 'phone',
  value: readPhone(text, from).number,
});

/**
 * Reads an address as people type it, with spaces and direction marks around it.
 * @throws Problem `invalid_request`
 */
export function readAddress(text: string): MessageContact {
  const typed = text.replace(/\p{Cf}/gu, '').trim();
  // Normalization cuts long runs of combining marks, so it could make an address of another text.
  const value = isMailAddress(typed) ? normalize(typed, 'NFC') : '';
  if (!isMailAddress(value))
    throw invalid('email', 'must be a mail address, such as mara@example.org', 'email');
  return { kind: 'email', value };
}
