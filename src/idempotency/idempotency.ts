/**
 * `Idempotency-Key`: a POST that creates something can be sent again, and makes it once. See decisions/0019.
 * The answer is kept in the transaction that makes the thing: neither is ever there without the other.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../db/client.ts';
import { violates } from '../db/errors.ts';
import type { Transaction } from '../db/transaction.ts';
import { sendJson } from '../http/route.ts';
import { actAs } from '../identity/act-as.ts';
import type { Caller } from '../identity/caller.ts';
import { Problem } from '../lib/errors.ts';
import { keyedHash } from '../lib/keyed-hash.ts';
import {
  findStoredResponses,
  type IdempotencyKey,
  type Replay,
  type StoredResponse,
  storeResponses,
} from './stored-responses.ts';

export const isReplay = (outcome: object): outcome is Replay => 'isReplay' in outcome;

/** Null without the header. @param body what the request asks for; of bytes, their hash */
export function readIdempotencyKey(
  request: FastifyRequest,
  viewer: Caller,
  secretKey: string,
  body: unknown = request.body,
): IdempotencyKey | null {
  const header = request.headers['idempotency-key'];
  if (typeof header !== 'string') return null;
  const key = header.startsWith('"') ? header.slice(1, -1).replace(/\\(.)/g, '$1') : header;
  const mac = (purpose: string, text: string) => keyedHash(secretKey, purpose, `${viewer.id}\0${text}`);
  return {
    userId: viewer.id,
    keyHash: mac('idempotency key', key),
    sealKey: mac('idempotency seal', key),
    requestHash: mac(
      'idempotency request',
      `${request.method} ${request.url}\0${JSON.stringify(sorted(body))}`,
    ),
  };
}

/** The order of fields is not what a request asks for. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}

/**
 * Runs `work` in the caller's name and keeps its answer with what it did; or gives the answer that is kept.
 * @throws Problem `idempotency_key_reused`, `idempotency_key_in_use`, and whatever `work` throws, which is not kept
 */
export function runIdempotent(
  db: Database,
  now: Date,
  once: IdempotencyKey,
  viewer: Caller,
  work: (tx: Transaction) => Promise<StoredResponse>,
): Promise<StoredResponse | Replay> {
  return retryOnKeyConflict(() =>
    actAs(db, viewer, async (tx) => {
      const [known] = await findStoredResponses(tx, [once], now);
      if (known instanceof Problem) throw known;
      if (known) return known;
      const answer = await work(tx);
      await refuseKeyInUse(
        Promise.all(storeResponses([{ key: once, response: answer }], now).map(tx.execute)),
      );
      return answer;
    }),
  );
}

const attempts = 3;

/** Runs again what found at its end that somebody had used the same key meanwhile; then it finds their answer. */
export async function retryOnKeyConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!violates(error, 'idempotency_keys_pkey')) throw error;
      if (attempt >= attempts) throw new Problem('idempotency_key_in_use');
    }
  }
}

/** Whoever used the key first has not ended: nothing is known of it yet, and this one made nothing. */
export async function refuseKeyInUse<T>(keeping: Promise<T>): Promise<T> {
  try {
    return await keeping;
  } catch (error) {
    throw (error as { code?: string }).code === '55P03' ? new Problem('idempotency_key_in_use') : error;
  }
}

export function sendReplayable(reply: FastifyReply, answer: StoredResponse | Replay) {
  reply.code(answer.status);
  if (answer.location) reply.header('location', answer.location);
  if (isReplay(answer)) reply.header('idempotent-replayed', 'true');
  return sendJson(reply, answer.body);
}
