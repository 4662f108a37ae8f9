/**
 * Tokens in mails, which stop mails of a kind without a sign-in: `KIND.` and, in base64url, the id of the person (16 bytes) and
 * a signature (16). A token is of one person and one kind, can do nothing else, and never ends: mails are kept for years. Pages
 * read the kind from it.
 */
import { timingSafeEqual } from 'node:crypto';
import { keyedHash, packId, unpackId } from '#base';
import type { ReadyConfig } from '../../../config/config.ts';
import { packedIdBytes, packToken, unpackToken } from '../../../lib/token-packing.ts';
import { notificationKinds } from '../../../outbox/kinds.ts';

const signatureBytes = 16;

/** `summary`: the daily mail of an organizer. */
const stoppable = [...notificationKinds, 'summary'] as const;
export type Unsubscription = { userId: string; kind: (typeof stoppable)[number] };

const sign = (key: string, { userId, kind }: Unsubscription): Buffer =>
  keyedHash(key, 'unsubscribe', `${kind} ${userId}`).subarray(0, signatureBytes);

const unsubscribeToken = (key: string, unsubscription: Unsubscription): string =>
  packToken(`${unsubscription.kind}.`, [packId(unsubscription.userId), sign(key, unsubscription)]);

/** @returns null if the server made no such token */
export function readUnsubscribeToken(key: string, token: string): Unsubscription | null {
  const kind = stoppable.find((name) => token.startsWith(`${name}.`));
  const bytes = kind && unpackToken(`${kind}.`, packedIdBytes + signatureBytes, token);
  if (!bytes) return null;
  const unsubscription = { userId: unpackId(bytes), kind };
  return timingSafeEqual(bytes.subarray(packedIdBytes), sign(key, unsubscription)) ? unsubscription : null;
}

/** `page`: shows what the token stops, and has buttons. `post`: stops it when a mail program posts to it (RFC 8058). */
export function unsubscribeLinks(
  { publicUrl, secretKey }: Pick<ReadyConfig, 'publicUrl' | 'secretKey'>,
  unsubscription: Unsubscription,
): { page: string; post: string } {
  const token = unsubscribeToken(secretKey, unsubscription);
  return {
    page: `${publicUrl}/unsubscribe?token=${token}`,
    post: `${publicUrl}/v1/unsubscribe?token=${token}`,
  };
}
