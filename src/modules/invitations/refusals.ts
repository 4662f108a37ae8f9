/**
 * Contacts whose owners refuse all invitations of this server, and the tokens in mails by which they do so, and take it back: the
 * keyed hash of the contact (32 bytes) and a signature (16). A token never ends, as those that stop mails of a kind
 * (notifications/unsubscribe/).
 */
import { timingSafeEqual } from 'node:crypto';
import { keyedHash } from '#base';
import { type Queryable, sql } from '#pg';
import type { ReadyConfig } from '../../config/config.ts';
import { packToken, unpackToken } from '../../lib/token-packing.ts';

const prefix = 'invitations.';
const [hashBytes, signatureBytes] = [32, 16];

const sign = (key: string, contactHash: Buffer): Buffer =>
  keyedHash(key, 'refuse invitations', contactHash).subarray(0, signatureBytes);

/** `page`: shows what the token refuses, and has buttons. `post`: refuses when a mail program posts to it (RFC 8058). */
export function refusalLinks(
  { publicUrl, secretKey }: Pick<ReadyConfig, 'publicUrl' | 'secretKey'>,
  contactHash: Buffer,
): { page: string; post: string } {
  const token = packToken(prefix, [contactHash, sign(secretKey, contactHash)]);
  return {
    page: `${publicUrl}/unsubscribe?token=${token}`,
    post: `${publicUrl}/v1/unsubscribe?token=${token}`,
  };
}

/** @returns the hash of the contact; null if the server made no such token */
export function readRefusalToken(key: string, token: string): Buffer | null {
  const bytes = unpackToken(prefix, hashBytes + signatureBytes, token);
  if (!bytes) return null;
  const contactHash = bytes.subarray(0, hashBytes);
  return timingSafeEqual(bytes.subarray(hashBytes), sign(key, contactHash)) ? contactHash : null;
}

export async function isRefused(db: Queryable, contactHash: Buffer): Promise<boolean> {
  const found = await db.query(sql`
    select 1 as found from refused_invitations where contact_hash = ${contactHash}`);
  return found.length > 0;
}

/** @param isRefused false takes the refusal back */
export async function storeRefusal(
  db: Queryable,
  contactHash: Buffer,
  isRefused: boolean,
  now: Date,
): Promise<void> {
  await db.execute(
    isRefused
      ? sql`insert into refused_invitations (contact_hash, since) values (${contactHash}, ${now}) on conflict (contact_hash) do nothing`
      : sql`delete from refused_invitations where contact_hash = ${contactHash}`,
  );
}
