/**
 * Keyed hashes of contacts and codes. Without the server's key, the stored hashes cannot be searched for numbers and
 * addresses.
 */
import { keyedHash } from '#base';
import type { CodePurpose, Contact } from '../../../lib/contact.ts';

/** The key of a contact's rows in `codes`. The tables of codes hold no contact. */
export const hashContact = (key: string, contact: Contact): Buffer =>
  keyedHash(key, contact.kind, contact.value);

export const hashContacts = (key: string, contacts: Contact[]): Buffer[] =>
  contacts.map((contact) => hashContact(key, contact));

/** What a code confirms. `eventId`: of the purpose `guest`, the event at which the owner of the contact is a guest. */
export type CodeUse = { purpose: CodePurpose; eventId?: string };

export const hashCode = (
  key: string,
  contact: Contact,
  { purpose, eventId }: CodeUse,
  code: string,
): Buffer =>
  keyedHash(
    key,
    'code',
    `${purpose}${eventId === undefined ? '' : ` ${eventId}`}\0${contact.value}\0${code}`,
  );

/** The scope of the contact's own daily limit in `code_sends`. */
export const contactScope = (contactHash: Buffer): string => `contact:${contactHash.toString('base64url')}`;

/** The scope of the contact's messages that unknown networks requested, without those whose codes were used. */
export const strangersScope = (contactHash: Buffer): string =>
  `strangers:${contactHash.toString('base64url')}`;
