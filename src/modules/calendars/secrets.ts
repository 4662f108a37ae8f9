/**
 * The secret in the URL of a person's calendar: `pc_`, then base64url of user id (16 bytes) | random
 * (24). The id locates the row; the 192 random bits are the secret. The database stores only its SHA-256.
 */
import { randomBytes } from 'node:crypto';
import { packId, unpackId } from '#base';
import { hashToken, packedIdBytes, packToken, unpackToken } from '../../lib/token-packing.ts';

const prefix = 'pc_';
const secretBytes = 24;

export type Secret = { userId: string; hash: Buffer };

export function newSecret(userId: string): { text: string; hash: Buffer } {
  const text = packToken(prefix, [packId(userId), randomBytes(secretBytes)]);
  return { text, hash: hashToken(text) };
}

/** Returns null if the text is not a calendar secret. */
export function parseSecret(text: string): Secret | null {
  const bytes = unpackToken(prefix, packedIdBytes + secretBytes, text);
  return bytes && { userId: unpackId(bytes), hash: hashToken(text) };
}
