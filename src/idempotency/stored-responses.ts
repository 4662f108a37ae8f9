/** The table of responses to requests with an `Idempotency-Key`, and their encryption. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Database } from '../db/client.ts';
import type { Queryable } from '../db/query.ts';
import { type Statement, sql } from '../db/sql.ts';
import { Problem } from '../lib/errors.ts';
import { dayMs } from '../lib/time.ts';

/**
 * The key of a request: hashes of the key and of the request (method, path and body), and the key that
 * encrypts its response. All are keyed with the person's id.
 */
export type IdempotencyKey = { userId: string; keyHash: Buffer; requestHash: Buffer; sealKey: Buffer };
/** The first response to a request. `body` is JSON. */
export type StoredResponse = { status: number; location?: string | undefined; body: string };
export type Replay = StoredResponse & { isReplay: true };

const lifetimeMs = dayMs;
const expiryOf = (now: Date) => new Date(now.getTime() - lifetimeMs);
const base64 = (bytes: Buffer) => bytes.toString('base64');

/**
 * Finds the responses that are stored under these keys. A transaction that may wait for a lock of the first
 * request must take that lock before it calls this function; otherwise it would not see the response that is
 * stored meanwhile.
 * @returns for each key the response; Problem `idempotency_key_reused` if it belongs to another request; or
 *   null
 */
export async function findStoredResponses(
  tx: Queryable,
  keys: (IdempotencyKey | null)[],
  now: Date,
): Promise<(Replay | Problem | null)[]> {
  const present = keys.filter((key) => key !== null);
  if (present.length === 0) return keys.map(() => null);
  const rows = await tx.query<{ keyHash: Buffer; requestHash: Buffer; answer: Buffer }>(sql`
    select i.key_hash, i.request_hash, i.answer
    from unnest(${present.map(({ userId }) => userId)}::uuid[], ${present.map(({ keyHash }) => base64(keyHash))}::text[])
      k (user_id, key_hash)
    join idempotency_keys i on i.user_id = k.user_id and i.key_hash = decode(k.key_hash, 'base64')
    where i.created_at > ${expiryOf(now)}`);
  // The hash alone identifies the row, because it is keyed with the person's id.
  const found = new Map(rows.map((row) => [base64(row.keyHash), row]));
  return keys.map((key) => {
    const row = key && found.get(base64(key.keyHash));
    if (!row) return null;
    if (!row.requestHash.equals(key.requestHash)) return new Problem('idempotency_key_reused');
    return { ...unseal(key, row.answer), isReplay: true };
  });
}

/**
 * Returns the statements that store responses, for the end of the transaction that they report on. If another
 * transaction stores a response under the same key, the insert waits for it, at most one second (SQLSTATE
 * 55P03), and then violates the primary key.
 */
export function storeResponses(
  responses: { key: IdempotencyKey; response: StoredResponse }[],
  now: Date,
): Statement[] {
  if (responses.length === 0) return [];
  const users = responses.map(({ key }) => key.userId);
  const keyHashes = responses.map(({ key }) => base64(key.keyHash));
  return [
    sql`set local lock_timeout = '1s'`,
    sql`
      delete from idempotency_keys i using unnest(${users}::uuid[], ${keyHashes}::text[]) k (user_id, key_hash)
      where i.user_id = k.user_id and i.key_hash = decode(k.key_hash, 'base64') and i.created_at <= ${expiryOf(now)}`,
    // Sorted by key, so that two batches cannot deadlock.
    sql`
      insert into idempotency_keys (user_id, key_hash, request_hash, answer, created_at)
      select user_id, decode(key_hash, 'base64'), decode(request_hash, 'base64'), decode(answer, 'base64'), ${now}
      from unnest(${users}::uuid[], ${keyHashes}::text[],
        ${responses.map(({ key }) => base64(key.requestHash))}::text[],
        ${responses.map(({ key, response }) => base64(seal(key, response)))}::text[])
        k (user_id, key_hash, request_hash, answer)
      order by 1, 2`,
  ];
}

/** Deletes responses that are older than a day. */
export async function deleteExpiredResponses(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from idempotency_keys where created_at <= ${expiryOf(now)}`);
}

const ivLength = 12;
const tagLength = 16;

/** Encrypts a response with AES-256-GCM: initialization vector, authentication tag, ciphertext. */
function seal({ sealKey }: IdempotencyKey, response: StoredResponse): Buffer {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv('aes-256-gcm', sealKey, iv, { authTagLength: tagLength });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(response)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** @throws Error if the ciphertext was changed */
function unseal({ sealKey }: IdempotencyKey, sealed: Buffer): StoredResponse {
  const decipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(0, ivLength), {
    authTagLength: tagLength,
  });
  decipher.setAuthTag(sealed.subarray(ivLength, ivLength + tagLength));
  const text = Buffer.concat([decipher.update(sealed.subarray(ivLength + tagLength)), decipher.final()]);
  return JSON.parse(text.toString()) as StoredResponse;
}
