/**
 * Opaque tokens: `pa_…` (access), `pr_…` (refresh), `pb_…` (browser) and `pg_…` (of a guest, for one event), then base64url of user id (16 bytes) |
 * session id (16) | random (24) | refresh tokens only: tag (16).
 *
 * The ids locate the session by its primary key. The 192 random bits are the secret; the database stores only
 * a SHA-256 of the token. The tag is a MAC by the server's key: it proves that this server issued the refresh
 * token, so a token with a valid tag that is no longer current is a reused token. Without the tag, a client
 * that knows only the ids could end the session.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { keyedHash, packId, unpackId } from '#base';
import { hashToken, packedIdBytes, packToken, unpackToken } from '../lib/token-packing.ts';

export type TokenIds = { userId: string; sessionId: string };
export type Token = TokenIds & { hash: Buffer };
export type TokenPair = {
  accessToken: string;
  refreshToken: string;
  accessHash: Buffer;
  refreshHash: Buffer;
};

const prefix = { access: 'pa_', refresh: 'pr_', browser: 'pb_', guest: 'pg_' } as const;
const secretBytes = 24;
const tagBytes = 16;
const accessBytes = 2 * packedIdBytes + secretBytes;
const length = {
  access: accessBytes,
  refresh: accessBytes + tagBytes,
  browser: accessBytes,
  guest: accessBytes,
} as const;

/** The first pair of a session, from new random bits. */
export const newPair = (key: string, ids: TokenIds): TokenPair =>
  pair(key, ids, randomBytes(secretBytes), randomBytes(secretBytes));

/** The one token of a browser session or of a guest, from new random bits. It stays the same until the session ends. */
export function newLastingToken(kind: 'browser' | 'guest', ids: TokenIds): { token: string; hash: Buffer } {
  const token = packToken(prefix[kind], [
    packId(ids.userId),
    packId(ids.sessionId),
    randomBytes(secretBytes),
  ]);
  return { token, hash: hashToken(token) };
}

/**
 * The pair that follows `refreshToken`. It is derived from the token, so a repeated refresh returns the same
 * pair although the database stores no token.
 */
export const successorPair = (key: string, ids: TokenIds, refreshToken: string): TokenPair =>
  pair(key, ids, keyedHash(key, 'next access', refreshToken), keyedHash(key, 'next refresh', refreshToken));

function pair(key: string, ids: TokenIds, accessSecret: Buffer, refreshSecret: Buffer): TokenPair {
  const packedIds = Buffer.concat([packId(ids.userId), packId(ids.sessionId)]);
  const refresh = Buffer.concat([packedIds, refreshSecret.subarray(0, secretBytes)]);
  const accessToken = packToken(prefix.access, [packedIds, accessSecret.subarray(0, secretBytes)]);
  const refreshToken = packToken(prefix.refresh, [refresh, tagOf(key, refresh)]);
  return {
    accessToken,
    refreshToken,
    accessHash: hashToken(accessToken),
    refreshHash: hashToken(refreshToken),
  };
}

const tagOf = (key: string, refresh: Buffer) => keyedHash(key, 'refresh tag', refresh).subarray(0, tagBytes);

/**
 * Parses a token without looking at the database.
 * @param key verifies the tag of a refresh token
 * @returns null if the text is not a token of this kind, or its tag is not valid
 */
export function parseToken(kind: 'access' | 'browser' | 'guest', text: string): Token | null;
export function parseToken(kind: 'refresh', text: string, key: string): Token | null;
export function parseToken(kind: keyof typeof prefix, text: string, key = ''): Token | null {
  const bytes = unpackToken(prefix[kind], length[kind], text);
  if (!bytes) return null;
  if (kind === 'refresh') {
    const tagged = bytes.subarray(0, -tagBytes);
    if (!timingSafeEqual(tagOf(key, tagged), bytes.subarray(-tagBytes))) return null;
  }
  return {
    userId: unpackId(bytes),
    sessionId: unpackId(bytes, packedIdBytes),
    hash: hashToken(text),
  };
}
