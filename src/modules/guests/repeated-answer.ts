/** Answers of guests that are repeated with an `Idempotency-Key`, whose code the first one has used up. */
import type { Transaction } from '#pg';
import type { IdempotencyContext } from '../../idempotency/context.ts';
import {
  findStoredResponses,
  type IdempotencyKey,
  type ReplayResponse,
  replay,
  storeResponse,
} from '../../idempotency/stored-responses.ts';
import type { MessageContact } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { findAccount } from '../accounts/accounts.ts';
import { findGuest } from '../accounts/guests.ts';

/** Thrown to roll the transaction back: it has counted the code, which is used up, as a wrong one. */
class Repeated extends Error {
  readonly response: ReplayResponse;
  constructor(response: ReplayResponse) {
    super('the response is stored');
    this.response = response;
  }
}

/** Runs a transaction that may find the response to be stored (`findRepeated`). */
export async function orRepeated<T>(run: () => Promise<T>): Promise<T | ReplayResponse> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Repeated) return error.response;
    throw error;
  }
}

/**
 * Looks for the answer of the owner of a contact under the key of the request. The transaction must hold the lock of the contact, and
 * must have counted a try if the code is not right: who guesses the code of a stored answer has no more tries than others.
 * @returns Problem `idempotency_key_reused`, or null
 * @throws what `orRepeated` turns into the stored response
 */
export async function findRepeated(
  tx: Transaction,
  idempotency: IdempotencyContext,
  { eventId, contact, now }: { eventId: string; contact: MessageContact; now: Date },
): Promise<Problem | null> {
  if (!idempotency.hasKey) return null;
  const person = (await findAccount(tx, contact)) ?? (await findGuest(tx, eventId, contact));
  return person && (await findStored(tx, idempotency.readKeyOf(person.id), now));
}

async function findStored(tx: Transaction, key: IdempotencyKey | null, now: Date): Promise<Problem | null> {
  const [stored] = await findStoredResponses(tx, [key], now);
  if (!stored || stored instanceof Problem) return stored ?? null;
  throw new Repeated(replay(stored));
}

/**
 * Refuses or repeats an answer that is stored under a key.
 * @throws Problem `idempotency_key_reused`; what `orRepeated` turns into the stored response
 */
export async function refuseRepeated(...given: Parameters<typeof findStored>): Promise<void> {
  const problem = await findStored(...given);
  if (problem) throw problem;
}

/** Stores an answer under a key, encrypted with that key: it has a token. The last statement of the transaction. */
export async function storeRepeatable(
  tx: Transaction,
  idempotency: IdempotencyContext,
  key: IdempotencyKey | null,
  body: object,
  now: Date,
): Promise<void> {
  if (key) await storeResponse(tx, key, { status: 200, body: idempotency.serialize(200, body) }, now);
}
