/** Batches write commands of one kind, with and without an idempotency key. */
import { createWriteBatcher } from '../db/batching.ts';
import type { LockWaits } from '../db/locks.ts';
import type { Retry } from '../db/run-batch.ts';
import type { Caller } from '../identity/caller.ts';
import type { IdempotencyContext } from './context.ts';
import { type ReplayResponse, replay, retryOnKeyConflict } from './run-idempotent.ts';
import { type IdempotencyKey, type Replay, type StoredResponse, storeResponses } from './stored-responses.ts';

/** A command of a batch. `stored` is null without an idempotency key. */
export type BatchEntry<C, V> = { command: C; stored: ResponseStorage<V> | null };

/** Under which key a response is stored, and how the response is made of the command's result. */
type ResponseStorage<V> = { key: IdempotencyKey; toResponse(result: V): StoredResponse };

type Outcome<V> = V | Replay | Error | Retry;

export type IdempotentBatcher<C, V> = {
  /**
   * Applies a command without an idempotency key. @throws whatever refuses the command, and Problem
   * `unavailable`
   */
  apply(command: C): Promise<V>;
  /**
   * Applies a command of a request that may have an idempotency key.
   * @returns the response made of the result by `present`, or the response that is stored under the key
   * @throws Problem `idempotency_key_reused`, `idempotency_key_in_use`, and the errors of `apply`
   */
  respond<S extends number, B>(
    command: C,
    idempotency: IdempotencyContext,
    status: S,
    present: (result: V) => B,
  ): Promise<{ status: S; body: B } | ReplayResponse>;
};

/**
 * Creates two queues, one of them for commands without a key: to store responses costs a batch time.
 * @param run applies a batch in one transaction, which also locks the idempotency keys (`lockKeys`) and
 *   stores the responses (`storeResults`). A batch has each `keyOf` and each idempotency key at most once
 * @param options.keyOf what the command changes; the commands of a queue keep their order for each `keyOf`
 * @param options.targetOf the row that it changes together with the commands of others
 */
export function createIdempotentBatcher<C extends { caller: Caller }, V extends object>(
  run: (entries: BatchEntry<C, V>[], waits: LockWaits) => Promise<Outcome<V>[]>,
  { keyOf, targetOf }: { keyOf: (command: C) => string; targetOf: (command: C) => string },
): IdempotentBatcher<C, V> {
  const clients = {
    senderOf: ({ command }: BatchEntry<C, V>) => command.caller.id,
    targetOf: ({ command }: BatchEntry<C, V>) => targetOf(command),
  };
  const withoutKey = createWriteBatcher<BatchEntry<C, V>, V | Replay>(run, {
    keysOf: ({ command }) => [keyOf(command)],
    ...clients,
  });
  const withKey = createWriteBatcher<BatchEntry<C, V> & { stored: ResponseStorage<V> }, V | Replay>(
    (entries, waits) => retryOnKeyConflict(() => run(entries, waits)),
    {
      keysOf: ({ command, stored }) => [stored.key.keyHash.toString('base64'), keyOf(command)],
      ...clients,
    },
  );
  // A replay needs a key.
  const apply = (command: C) => withoutKey({ command, stored: null }) as Promise<V>;
  return {
    apply,
    respond: async (command, idempotency, status, present) => {
      const key = idempotency.readKey();
      if (!key) return { status, body: present(await apply(command)) };
      const toResponse = (result: V) => ({ status, body: idempotency.serialize(status, present(result)) });
      const result = await withKey({ command, stored: { key, toResponse } });
      return isReplay(result) ? replay(result) : { status, body: present(result) };
    },
  };
}

const isReplay = (result: object): result is Replay => 'isReplay' in result;

/**
 * The statements that store the responses of a batch, for the end of its transaction.
 * @param results of each entry the result; null or undefined if there is no response to store
 */
export function storeResults<C, V>(
  entries: BatchEntry<C, V>[],
  results: (V | null | undefined)[],
  now: Date,
): ReturnType<typeof storeResponses> {
  const made = entries.flatMap(({ stored }, i) => {
    const result = results[i];
    return stored && result ? [{ key: stored.key, response: stored.toResponse(result) }] : [];
  });
  return storeResponses(made, now);
}
