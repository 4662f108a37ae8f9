/** Packs binary fields of fixed lengths into opaque tokens: a prefix, then the fields in base64url. */
import { hash } from 'node:crypto';

/** The length of a packed UUID, in bytes. */
export const packedIdBytes = 16;

export const packToken = (prefix: string, fields: Buffer[]): string =>
  prefix + Buffer.concat(fields).toString('base64url');

/**
 * Unpacks the fields of a token.
 * @param length the total length of the fields, in bytes
 * @returns null if the text is not a token with this prefix and length
 */
export function unpackToken(prefix: string, length: number, text: string): Buffer | null {
  if (!text.startsWith(prefix)) return null;
  const packed = text.slice(prefix.length);
  const bytes = Buffer.from(packed, 'base64url');
  // The comparison leaves each token one spelling: the decoder ignores spare bits and unknown characters.
  return bytes.length === length && bytes.toString('base64url') === packed ? bytes : null;
}

/** The SHA-256 of a token. The database stores this hash instead of the token. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');
