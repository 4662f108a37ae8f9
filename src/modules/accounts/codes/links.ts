/**
 * Links in mails with codes, `/sign-in/link?token=pl_…` or, for a guest of an event, `/e/ID/answer?token=pl_…`, and those that a
 * command prints. The token has the contact, the code and
 * its requester, encrypted with the server's key. It therefore cannot be guessed, works in any browser and network, and is valid
 * once, as its code is.
 */
import { keyedHash } from '#base';
import type { ReadyConfig } from '../../../config/config.ts';
import { type MessageContact, storedContact } from '../../../lib/contact.ts';
import { seal, unsealOwn } from '../../../lib/sealing.ts';
import { packToken } from '../../../lib/token-packing.ts';

const prefix = 'pl_';

/**
 * `requester`: its id, in base64url. `isOfOperator`: a command printed the link, so it is valid with every `SIGN_IN`. `eventId`:
 * the link is that of a guest of the event, and does not sign in.
 */
export type LinkProof = {
  contact: MessageContact;
  code: string;
  requester: string;
  isOfOperator?: true;
  eventId?: string;
};

const sealKey = (secretKey: string): Buffer => keyedHash(secretKey, 'sign-in-link', '');

/**
 * What the page of a link reads. `next`: the path of the page that follows; it is not secret. `invitation`: the token by which a
 * guest may answer to a private event.
 */
export type LinkParameters = { next?: string; invitation?: string };

export function linkOf(
  { publicUrl, secretKey }: Pick<ReadyConfig, 'publicUrl' | 'secretKey'>,
  proof: LinkProof,
  parameters: LinkParameters = {},
): string {
  const token = packToken(prefix, [seal(sealKey(secretKey), proof)]);
  const query = new URLSearchParams({ token, ...parameters });
  const path = proof.eventId === undefined ? '/sign-in/link' : `/e/${proof.eventId}/answer`;
  return `${publicUrl}${path}?${query}`;
}

/**
 * @param eventId the event of a guest; undefined for a link that signs in
 * @returns null if the server made no such token for this use
 */
export function readLinkToken(secretKey: string, token: string, eventId?: string): LinkProof | null {
  if (!token.startsWith(prefix)) return null;
  const sealed = Buffer.from(token.slice(prefix.length), 'base64url');
  const proof = unsealOwn<LinkProof>(sealKey(secretKey), sealed);
  if (proof?.eventId !== eventId) return null;
  return proof && { ...proof, contact: storedContact(proof.contact.kind, proof.contact.value) };
}
