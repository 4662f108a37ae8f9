/** Runs the work of a request once for each idempotency key; a repeated request gets the stored response. */
import { type Database, type Transaction, transaction } from '#pg';
import { actAs, lockCaller } from '../identity/act-as.ts';
import type { Caller } from '../identity/caller.ts';
import { Problem } from '../lib/errors.ts';
import type { IdempotencyContext } from './context.ts';
import {
  findStoredResponses,
  lockKeys,
  type ReplayResponse,
  replay,
  retryOnKeyConflict,
  type StoredResponse,
  storeResponse,
} from './stored-responses.ts';

type Response = { status: number; body: unknown; headers?: Record<string, string | number> };

/**
 * Runs `work` in a transaction on behalf of the caller, as `actAs` does. If the request has an idempotency key, the
 * transaction also stores the response, and a request that repeats the key gets the stored response. Errors
 * are not stored.
 * @param lockFirst as in `actAs`
 * @throws Problem `idempotency_key_reused`, `idempotency_key_in_use`; the error of `work`
 */
export async function runIdempotent<const R extends Response>(
  { db, clock }: { db: Database; clock: () => Date },
  caller: Caller,
  idempotency: IdempotencyContext,
  work: (tx: Transaction, caller: Caller) => Promise<R>,
  lockFirst?: (tx: Transaction) => Promise<void>,
): Promise<R | ReplayResponse> {
  const key = idempotency.readKey();
  if (!key) return actAs(db, caller, work, lockFirst);
  return retryOnKeyConflict(() =>
    transaction(db, async (tx) => {
      const now = clock();
      await lockKeys(tx, [key], true);
      await lockFirst?.(tx);
      const locked = await lockCaller(tx, caller);
      const [stored] = await findStoredResponses(tx, [key], now);
      if (stored instanceof Problem) throw stored;
      if (stored) return replay(stored);
      const { status, body, headers } = await work(tx, locked);
      const json = idempotency.serialize(status, body);
      const location = headers?.location;
      const response: StoredResponse = {
        status,
        body: json,
        ...(location !== undefined && { location: `${location}` }),
      };
      await storeResponse(tx, key, response, now);
      return { statusCode: status, json, headers: textHeaders(headers) };
    }),
  );
}

const textHeaders = (headers: Record<string, string | number> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}`]));
