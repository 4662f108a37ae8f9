/**
 * The secret in the address of a person's calendar: `pc_`, then base64url of user id (16 bytes) | random (24). The id
 * says where to look; the 192 random bits are the secret, of which the database keeps only a SHA-256.
 */
import { randomBytes, hash as sha256 } from 'node:crypto';
import { packId, unpackId } from '../../identity/tokens.ts';

const prefix = 'pc_';
const idBytes = 16;
const secretBytes = 24;

export type Secret = { userId: string; hash: Buffer };

const hash = (text: string): Buffer => sha256('sha256', text, 'buffer');

export function newSecret(userId: string): { text: string; hash: Buffer } {
  const text = prefix + Buffer.concat([packId(userId), randomBytes(secretBytes)]).toString('base64url');
  return { text, hash: hash(text) };
}

/** Null when it cannot be one. */
export function parseSecret(text: string): Secret | null {
  if (!text.startsWith(prefix)) return null;
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url');
  // One spelling for each: base64url leaves spare bits that would else name the same bytes twice.
  if (bytes.length !== idBytes + secretBytes || prefix + bytes.toString('base64url') !== text) return null;
  return { userId: unpackId(bytes.subarray(0, idBytes)), hash: hash(text) };
}
