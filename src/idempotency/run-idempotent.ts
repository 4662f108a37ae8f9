/** Runs the work of a request once for each idempotency key, and returns the stored response after that. */
import type { Database } from '../db/client.ts';
import { violates } from '../db/errors.ts';
import type { Transaction } from '../db/transaction.ts';
import { actAs } from '../identity/act-as.ts';
import type { Caller } from '../identity/caller.ts';
import { Problem } from '../lib/errors.ts';
import type { IdempotencyContext } from './context.ts';
import { findStoredResponses, type StoredResponse, storeResponses } from './stored-responses.ts';

type Response = { status: number; body: unknown; headers?: Record<string, string | number> };
/** A response as it is sent again: serialized, and marked. */
export type ReplayResponse = { statusCode: number; json: string; headers: Record<string, string> };

/**
 * Runs `work` in a transaction in the caller's name. With an idempotency key, the response is stored in the same
 * transaction: neither exists without the other. A request that repeats the key gets the stored response.
 * @throws Problem `idempotency_key_reused`, `idempotency_key_in_use`, and whatever `work` throws, which is not stored
 */
export async function runIdempotent<R extends Response>(
  { db, clock }: { db: Database; clock: () => Date },
  caller: Caller,
  idempotency: IdempotencyContext,
  work: (tx: Transaction) => Promise<R>,
): Promise<R | ReplayResponse> {
  const key = idempotency.readKey();
  if (!key) return actAs(db, caller, work);
  return retryOnKeyConflict(() =>
    actAs(db, caller, async (tx) => {
      const now = clock();
      const [stored] = await findStoredResponses(tx, [key], now);
      if (stored instanceof Problem) throw stored;
      if (stored) return replay(stored);
      const { status, body, headers } = await work(tx);
      const json = idempotency.serialize(status, body);
      const location = headers?.location;
      const response: StoredResponse = {
        status,
        body: json,
        ...(location !== undefined && { location: `${location}` }),
      };
      const storing = storeResponses([{ once: key, answer: response }], now).map(tx.execute);
      await refuseKeyInUse(Promise.all(storing));
      return { statusCode: status, json, headers: textHeaders(headers) };
    }),
  );
}

const textHeaders = (headers: Record<string, string | number> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]));

/** The stored response, marked as a replay. */
export const replay = ({ status, body, location }: StoredResponse): ReplayResponse => ({
  statusCode: status,
  json: body,
  headers: { 'idempotent-replayed': 'true', ...(location !== undefined && { location }) },
});

const maxAttempts = 3;

/** Runs again if another request stored its response under the same key first; the next run finds that response. */
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

/** Another request holds the key and has not ended: its outcome is unknown, and this request has no effect. */
export async function refuseKeyInUse<T>(storing: Promise<T>): Promise<T> {
  try {
    return await storing;
  } catch (error) {
    throw (error as { code?: string }).code === '55P03' ? new Problem('idempotency_key_in_use') : error;
  }
}
