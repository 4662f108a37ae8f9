/**
 * The token of the page that makes the first admin. It is a keyed hash of a random nonce in the database, so all servers on
 * the database print the same address, also after a restart, and neither the database nor a backup contains it. Without the
 * nonce, no token is valid.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { keyedHash } from '#base';
import { one, type Queryable, sql, type Transaction } from '#pg';
import { packToken } from '../lib/token-packing.ts';

const prefix = 'pf_';
const nonceBytes = 32;

const tokenOf = (secretKey: string, nonce: Buffer): string =>
  packToken(prefix, [keyedHash(secretKey, 'setup', nonce)]);

/** @returns the token; the same until `closeSetup` */
export async function openSetup(db: Queryable, secretKey: string): Promise<string> {
  const rows = await db.query<{ setupNonce: Buffer }>(sql`
    insert into instance_settings as s (id, setup_nonce) values (true, ${randomBytes(nonceBytes)})
    on conflict (id) do update set setup_nonce = coalesce(s.setup_nonce, excluded.setup_nonce)
    returning setup_nonce`);
  return tokenOf(secretKey, one(rows).setupNonce);
}

/** Makes the token invalid, for good. */
export async function closeSetup(tx: Transaction): Promise<void> {
  await tx.query(sql`update instance_settings set setup_nonce = null where setup_nonce is not null`);
}

/** @returns compares a token with the valid one; null if none is valid */
export async function findSetup(
  db: Queryable,
  secretKey: string,
): Promise<((token: string) => boolean) | null> {
  const [row] = await db.query<{ setupNonce: Buffer }>(
    sql`select setup_nonce from instance_settings where setup_nonce is not null`,
  );
  if (!row) return null;
  const valid = Buffer.from(tokenOf(secretKey, row.setupNonce));
  return (token) => {
    const given = Buffer.from(token);
    return given.length === valid.length && timingSafeEqual(given, valid);
  };
}
