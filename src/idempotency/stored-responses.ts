/** The table of responses to requests with an `Idempotency-Key`, and their encryption. */
import { dayMs } from '#base';
import { type Database, type Queryable, rowsOf, type Statement, sql, violates } from '#pg';
import { Problem } from '../lib/errors.ts';
import { seal, unseal } from '../lib/sealing.ts';

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
 * Locks keys until the transaction ends, before it locks any row. The lock makes requests with the same key
 * run one after the other on all servers, so the response of the first is stored when the second looks for
 * it. Without it, two transactions would store responses under one key, and the second of them would fail
 * with all commands of its batch.
 * @param mayWaitForLocks waits at most a second for a key. Await the result before the next statement is
 *   sent, which fails too if this one does. If not set, keys that another transaction holds are skipped
 * @returns for each key whether it is locked; true for null
 * @throws Problem `idempotency_key_in_use` after a second
 */
export async function lockKeys(
  tx: Queryable,
  keys: (IdempotencyKey | null)[],
  mayWaitForLocks: boolean,
): Promise<boolean[]> {
  const hashes = keys.flatMap((key, n) => (key ? [{ n, hash: key.keyHash }] : []));
  if (hashes.length === 0) return keys.map(() => true);
  // Two integers: PostgreSQL keeps these locks apart from the advisory locks with one key (schema/locks.ts).
  const held = sql`
    from unnest(${hashes.map(({ n }) => n)}::int[], ${hashes.map(({ hash }) => hash.readInt32BE(0))}::int[],
      ${hashes.map(({ hash }) => hash.readInt32BE(4))}::int[]) k (n, a, b)`;
  const locking = mayWaitForLocks
    ? withLockTimeout(tx, () => tx.query<{ n: number }>(sql`select n, pg_advisory_xact_lock(a, b) ${held}`))
    : tx.query<{ n: number }>(sql`select n ${held} where pg_try_advisory_xact_lock(a, b)`);
  const locked = new Set((await locking).map(({ n }) => n));
  return keys.map((key, n) => key === null || locked.has(n));
}

/** @throws Problem `idempotency_key_in_use` if a lock takes more than a second */
async function withLockTimeout<T>(tx: Queryable, lock: () => Promise<T>): Promise<T> {
  const setting = tx.execute(sql`set local lock_timeout = '1s'`);
  const locking = refuseKeyInUse(lock());
  const ending = tx.execute(sql`set local lock_timeout to default`);
  // Sent together. If the lock fails, so does the statement that follows, with the error of PostgreSQL.
  for (const later of [locking, ending]) later.catch(() => {});
  await setting;
  const locked = await locking;
  await ending;
  return locked;
}

/**
 * Waits for statements that lock keys or store responses.
 * @throws Problem `idempotency_key_in_use` if another request with the same key has not ended; any other
 *   error
 */
export async function refuseKeyInUse<T>(statements: Promise<T>): Promise<T> {
  try {
    return await statements;
  } catch (error) {
    throw (error as { code?: string }).code === '55P03' ? new Problem('idempotency_key_in_use') : error;
  }
}

/**
 * Finds the responses that are stored under these keys. A transaction that depends on the result must hold
 * their locks (`lockKeys`), and any lock that it may wait for; otherwise it would not see a response that is
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
    from ${rowsOf('idempotency_keys i', present, { userId: 'uuid', keyHash: 'bytea' })}
    where i.created_at > ${expiryOf(now)}`);
  // The hash alone identifies the row, because it is keyed with the person's id.
  const found = new Map(rows.map((row) => [base64(row.keyHash), row]));
  return keys.map((key) => {
    const row = key && found.get(base64(key.keyHash));
    if (!row) return null;
    if (!row.requestHash.equals(key.requestHash)) return new Problem('idempotency_key_reused');
    return { ...unseal<StoredResponse>(key.sealKey, row.answer), isReplay: true };
  });
}

/**
 * Returns the statements that store responses, for the end of the transaction that they report on. On a cluster, the
 * commit of a response under the same key may not have reached its node: then the insert waits for it, at most one second
 * (SQLSTATE 55P03), and violates the primary key (`retryOnKeyConflict`).
 */
export function storeResponses(
  responses: { key: IdempotencyKey; response: StoredResponse }[],
  now: Date,
): Statement[] {
  if (responses.length === 0) return [];
  // Sorted by key, so that two batches cannot deadlock.
  const sorted = responses.toSorted((a, b) => (keyOf(a.key) < keyOf(b.key) ? -1 : 1));
  return [
    sql`set local lock_timeout = '1s'`,
    ...sorted.flatMap(({ key, response }) => [
      sql`
        delete from idempotency_keys
        where user_id = ${key.userId} and key_hash = ${key.keyHash} and created_at <= ${expiryOf(now)}`,
      sql`
        insert into idempotency_keys (user_id, key_hash, request_hash, answer, created_at)
        values (${key.userId}, ${key.keyHash}, ${key.requestHash}, ${seal(key.sealKey, response)}, ${now})`,
    ]),
  ];
}

/** Stores a response at the end of the transaction that it reports on. @throws Problem `idempotency_key_in_use` */
export async function storeResponse(
  tx: Queryable,
  key: IdempotencyKey,
  response: StoredResponse,
  now: Date,
): Promise<void> {
  await refuseKeyInUse(Promise.all(storeResponses([{ key, response }], now).map(tx.execute)));
}

const keyOf = ({ userId, keyHash }: IdempotencyKey): string => userId + keyHash.toString('hex');

/** Deletes responses that are older than a day. */
export async function deleteExpiredResponses(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from idempotency_keys where created_at <= ${expiryOf(now)}`);
}

/** A serialized response. That of a repeated request has the header `Idempotent-Replayed`. */
export type ReplayResponse = { statusCode: number; json: string; headers: Record<string, string> };

/** Returns a stored response with the header that marks it as a replay. */
export const replay = ({ status, body, location }: StoredResponse): ReplayResponse => ({
  statusCode: status,
  json: body,
  headers: { 'idempotent-replayed': 'true', ...(location !== undefined && { location }) },
});

const maxAttempts = 3;

/**
 * Runs `run` again if another transaction has stored a response under the same key, which `run` did not see; the next run
 * finds it. On a cluster, the locks of keys end when the coordinator has committed, which is before the node with the
 * response shows it.
 * @throws Problem `idempotency_key_in_use` after three attempts; any other error of `run`
 */
export async function retryOnKeyConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!violates(error, 'idempotency_keys_pkey')) throw error;
      if (attempt >= maxAttempts) throw new Problem('idempotency_key_in_use');
    }
  }
}
