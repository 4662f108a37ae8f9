/** The table of answers to requests with an `Idempotency-Key` (idempotency.ts), and how they lie in it. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Database } from '../db/client.ts';
import type { Queryable } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import { Problem } from '../lib/errors.ts';
import { dayMs } from '../lib/time.ts';

/** A request that is to be done once: under which key, and what it asks for. */
export type IdempotencyKey = { userId: string; keyHash: Buffer; requestHash: Buffer; sealKey: Buffer };
/** What was answered the first time. */
export type StoredResponse = { status: number; location?: string | undefined; body: string };
export type Replay = StoredResponse & { isReplay: true };

const lifetimeMs = dayMs;
const since = (now: Date) => new Date(now.getTime() - lifetimeMs);
const base64 = (bytes: Buffer) => bytes.toString('base64');

/**
 * What is kept under these keys. Whatever may be held up by the first request's locks must have taken them before it
 * asks, or it would miss what that request was just keeping.
 * @returns for each the first answer, a Problem `idempotency_key_reused` where that was to another request, or null
 */
export async function findStoredResponses(
  tx: Queryable,
  asked: (IdempotencyKey | null)[],
  now: Date,
): Promise<(Replay | Problem | null)[]> {
  const keys = asked.filter((once) => once !== null);
  if (keys.length === 0) return asked.map(() => null);
  const rows = await tx.query<{ keyHash: Buffer; requestHash: Buffer; answer: Buffer }>(sql`
    select i.key_hash, i.request_hash, i.answer
    from unnest(${keys.map(({ userId }) => userId)}::uuid[], ${keys.map(({ keyHash }) => base64(keyHash))}::text[])
      k (user_id, key_hash)
    join idempotency_keys i on i.user_id = k.user_id and i.key_hash = decode(k.key_hash, 'base64')
    where i.created_at > ${since(now)}`);
  // A person's key has a hash of its own: the person is hashed with it.
  const found = new Map(rows.map((row) => [base64(row.keyHash), row]));
  return asked.map((once) => {
    const row = once && found.get(base64(once.keyHash));
    if (!row) return null;
    if (!row.requestHash.equals(once.requestHash)) return new Problem('idempotency_key_reused');
    return { ...unseal(once, row.answer), isReplay: true };
  });
}

/**
 * The statements that keep these answers, for the end of the transaction that made what they tell of. Where another
 * uses the same key at this moment they wait for it, a second at most; then the primary key refuses the second.
 */
export function storeResponses(made: { once: IdempotencyKey; answer: StoredResponse }[], now: Date) {
  if (made.length === 0) return [];
  const users = made.map(({ once }) => once.userId);
  const keys = made.map(({ once }) => base64(once.keyHash));
  return [
    sql`set local lock_timeout = '1s'`,
    sql`
      delete from idempotency_keys i using unnest(${users}::uuid[], ${keys}::text[]) k (user_id, key_hash)
      where i.user_id = k.user_id and i.key_hash = decode(k.key_hash, 'base64') and i.created_at <= ${since(now)}`,
    // Sorted, so that two batches never wait for each other.
    sql`
      insert into idempotency_keys (user_id, key_hash, request_hash, answer, created_at)
      select user_id, decode(key_hash, 'base64'), decode(request_hash, 'base64'), decode(answer, 'base64'), ${now}
      from unnest(${users}::uuid[], ${keys}::text[],
        ${made.map(({ once }) => base64(once.requestHash))}::text[],
        ${made.map(({ once, answer }) => base64(seal(once, answer)))}::text[])
        k (user_id, key_hash, request_hash, answer)
      order by 1, 2`,
  ];
}

export async function deleteExpiredResponses(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from idempotency_keys where created_at <= ${since(now)}`);
}

const ivBytes = 12;
const tagBytes = 16;

function seal({ sealKey }: IdempotencyKey, answer: StoredResponse): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', sealKey, iv, { authTagLength: tagBytes });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function unseal({ sealKey }: IdempotencyKey, sealed: Buffer): StoredResponse {
  const cipher = createDecipheriv('aes-256-gcm', sealKey, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  cipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes));
  const text = Buffer.concat([cipher.update(sealed.subarray(ivBytes + tagBytes)), cipher.final()]);
  return JSON.parse(text.toString()) as StoredResponse;
}
