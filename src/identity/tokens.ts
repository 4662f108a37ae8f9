/**
 * Opaque tokens: `pa_…` (access) and `pr_…` (refresh), then base64url of
 * user id (16 bytes) | session id (16) | random (24) | refresh tokens only: tag (16).
 *
 * The ids say where to look (one row, one key); the 192 random bits are the secret, of which the database keeps
 * only a SHA-256. The tag is a MAC by the server's key: a refresh token that carries it was once given out by this
 * server, so if it is no longer current, it is being used again. Without it anybody who learnt the ids could end
 * the session.
 */
import { randomBytes, hash as sha256, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '../lib/keyed-hash.ts';

export type TokenIds = { userId: string; sessionId: string };
export type Token = TokenIds & { hash: Buffer };
export type TokenPair = {
  accessToken: string;
  refreshToken: string;
  accessHash: Buffer;
  refreshHash: Buffer;
};

const prefix = { access: 'pa_', refresh: 'pr_' } as const;
const idBytes = 16;
const secretBytes = 24;
const tagBytes = 16;
const length = { access: 2 * idBytes + secretBytes, refresh: 2 * idBytes + secretBytes + tagBytes } as const;

const hash = (token: string): Buffer => sha256('sha256', token, 'buffer');

/** A first pair, from fresh random bits. */
export const newPair = (key: string, ids: TokenIds): TokenPair =>
  pair(key, ids, randomBytes(secretBytes), randomBytes(secretBytes));

/**
 * The pair that follows `refreshToken`. It is computed from the token, so asking twice gives the same pair
 * although no token is stored anywhere.
 */
export const successorPair = (key: string, ids: TokenIds, refreshToken: string): TokenPair =>
  pair(key, ids, keyedHash(key, 'next access', refreshToken), keyedHash(key, 'next refresh', refreshToken));

function pair(key: string, ids: TokenIds, accessSecret: Buffer, refreshSecret: Buffer): TokenPair {
  const where = Buffer.concat([packId(ids.userId), packId(ids.sessionId)]);
  const refresh = Buffer.concat([where, refreshSecret.subarray(0, secretBytes)]);
  const accessToken =
    prefix.access + Buffer.concat([where, accessSecret.subarray(0, secretBytes)]).toString('base64url');
  const refreshToken = prefix.refresh + Buffer.concat([refresh, tagOf(key, refresh)]).toString('base64url');
  return { accessToken, refreshToken, accessHash: hash(accessToken), refreshHash: hash(refreshToken) };
}

const tagOf = (key: string, refresh: Buffer) => keyedHash(key, 'refresh tag', refresh).subarray(0, tagBytes);

/** Null when it cannot be a token of this kind; `key` is needed to check a refresh token's tag. */
export function parseToken(kind: 'access', text: string): Token | null;
export function parseToken(kind: 'refresh', text: string, key: string): Token | null;
export function parseToken(kind: 'access' | 'refresh', text: string, key = ''): Token | null {
  if (!text.startsWith(prefix[kind])) return null;
  const bytes = Buffer.from(text.slice(prefix[kind].length), 'base64url');
  // One spelling for each token: base64url leaves spare bits that would else name the same bytes twice.
  if (bytes.length !== length[kind] || prefix[kind] + bytes.toString('base64url') !== text) return null;
  if (kind === 'refresh') {
    const body = bytes.subarray(0, -tagBytes);
    if (!timingSafeEqual(tagOf(key, body), bytes.subarray(-tagBytes))) return null;
  }
  return {
    userId: unpackId(bytes.subarray(0, idBytes)),
    sessionId: unpackId(bytes.subarray(idBytes, 2 * idBytes)),
    hash: hash(text),
  };
}

export const packId = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');
export function unpackId(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
