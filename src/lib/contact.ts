/**
 * Contacts: what finds the account of a person who signs in. Codes are sent to a phone number or a mail address. The third kind
 * is an identity at an OpenID Connect provider, to which nothing can be sent.
 */
import { invalid } from './errors.ts';
import { canonicalAddress } from './mail-address.ts';
import { type CountryCode, readPhone } from './phone.ts';

/** Contacts that messages can be sent to. */
export const messageKinds = ['phone', 'email'] as const;
export const contactKinds = [...messageKinds, 'oidc'] as const;
export type ContactKind = (typeof contactKinds)[number];
export type MessageKind = (typeof messageKinds)[number];

/** What a code that is sent to a contact confirms. It is valid for nothing else. Each purpose has texts of its own. */
export const codePurposes = [
  'sign_in',
  'confirm_contact',
  'change_contact',
  'delete_account',
  'guest',
] as const;
export type CodePurpose = (typeof codePurposes)[number];

/**
 * `value`: the one form that all spellings of the contact have, by which tables know it. A number in E.164 format; an address as
 * `canonicalAddress` returns it; or the issuer and the subject of an identity, with a space between them. A number starts with + and
 * has no @, an identity has a space, and an address has none, so the values of contacts of different kinds differ.
 */
export type Contact = { kind: ContactKind; value: string };
export type MessageContact = Contact & { kind: MessageKind };

/** The contacts of an account: at least one is not null. */
export type Contacts = Record<ContactKind, string | null>;

/** The phone number is the first, and the identity the last. */
export const contactsOf = (account: Contacts): Contact[] =>
  contactKinds.flatMap((kind) => {
    const value = account[kind];
    return value ? storedContact(kind, value) : [];
  });

/** A contact of a table or token. Version 0.1.0 stored addresses as they were typed. */
export const storedContact = <Kind extends ContactKind>(kind: Kind, value: string) => ({
  kind,
  value: kind === 'email' ? (canonicalAddress(value) ?? value) : value,
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

/** @throws Problem `invalid_request` as `readPhone` does */
export const readNumber = (text: string, from?: CountryCode): MessageContact => ({
  kind: 'phone',
  value: readPhone(text, from).number,
});

/** Longer texts are no addresses, whatever is around the address. */
const maxTypedLength = 1_000;

/**
 * Reads an address as people type it, with spaces and direction marks around it.
 * @throws Problem `invalid_request`
 */
export function readAddress(text: string): MessageContact {
  const value = text.length > maxTypedLength ? null : canonicalAddress(text.replace(/\p{Cf}/gu, '').trim());
  if (value === null) throw invalid('email', 'must be a mail address, such as mara@example.org', 'email');
  return { kind: 'email', value };
}
