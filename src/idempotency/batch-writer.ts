/**
 * Writes commands in batches: the commands of one kind that wait at the same time share a transaction, with and without
 * idempotency keys. It takes two round trips. The first locks and reads, the second writes and commits.
 */
import {
  createWriteBatcher,
  type Database,
  type LockWaits,
  lockThenRead,
  RETRY_IN_NEXT_BATCH,
  RETRY_INDIVIDUALLY,
  type Retry,
  type Row,
  type Statement,
  type Transaction,
  transaction,
} from '#pg';
import { lockCallers } from '../identity/act-as.ts';
import type { UnlockedCaller, Viewer } from '../identity/caller.ts';
import { Problem } from '../lib/errors.ts';
import type { IdempotencyContext } from './context.ts';
import {
  findStoredResponses,
  type IdempotencyKey,
  lockKeys,
  type Replay,
  type ReplayResponse,
  refuseKeyInUse,
  replay,
  retryOnKeyConflict,
  type StoredResponse,
  storeResponses,
} from './stored-responses.ts';

/** A command whose caller is locked. `index`: its place in the batch, and in what `read` returns. */
export type Admitted<C> = { command: C; viewer: Viewer; index: number };

/**
 * What became of a command: its result, or why it had no effect, or how it is retried because another transaction holds a
 * lock that it needs.
 */
type Outcome<V> = V | Problem | Retry;

/** What a batch does, before any of it is written. */
export type Decided<V> = {
  /** By the index of the command. */
  outcomes: ReadonlyMap<number, Outcome<V>>;
  /** Write the results. They are sent with those that store the responses and with COMMIT. */
  statements: Statement[];
  /** A statement whose rows decide which further statements follow. It costs a round trip. */
  lookUp?: { statement: Statement; statementsFor(rows: Row[]): Statement[] } | undefined;
  /** Reads, after the statements, the results that these may have changed. It costs a round trip. */
  readBack?: { statement: Statement; outcomesOf(rows: Row[]): Iterable<[index: number, V]> } | undefined;
};

/** How a batch is decided. */
export type BatchRules<C, L, S, V> = {
  /**
   * Locks the targets of the commands.
   * @param mayWaitForLocks waits for the locks of targets; otherwise a target that another transaction locks is skipped
   */
  lock(tx: Transaction, commands: C[], mayWaitForLocks: boolean): Promise<L>;
  /** Reads what decides about the commands, while the locks are held. */
  read(tx: Transaction, commands: C[]): Promise<S>;
  /** Decides the commands, each with what the commands before it left. Has no effect. */
  decide(commands: Admitted<C>[], locked: L, state: S): Decided<V>;
};

type Options<C, L, S, V> = {
  db: Database;
  clock: () => Date;
  /**
   * What a command changes. A batch has each at most once, and the commands with one key keep their order; null for
   * commands of which a batch may have any number.
   */
  keyOf: (command: C) => string | null;
  /** The row that a command changes together with the commands of others. */
  targetOf: (command: C) => string;
  rules: (now: Date) => BatchRules<C, L, S, V>;
};

/** Under which key a response is stored, and how the response is made of the command's result. */
type ResponseStorage<V> = { key: IdempotencyKey; toResponse(result: V): StoredResponse };
type Entry<C, V> = { command: C; stored: ResponseStorage<V> | null };

export type BatchWriter<C, V> = {
  /**
   * Applies commands of people whose accounts the transaction has locked, in a transaction that does more. It waits for the
   * locks of the targets.
   * @param role of each of these people
   * @returns the result of each command, or the problem that refused it
   */
  applyIn(tx: Transaction, role: Viewer['role'], commands: C[]): Promise<(V | Problem)[]>;
  /** Applies a command without an idempotency key. @throws Problem that refuses the command; Problem `unavailable` */
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

export function createBatchWriter<C extends { caller: UnlockedCaller }, L, S, V>(
  options: Options<C, L, S, V>,
): BatchWriter<C, V> {
  const { keyOf, targetOf } = options;
  const write = createWriteBatcher<Entry<C, V>, V | Replay>(
    (entries, waits) => retryOnKeyConflict(() => applyBatch(options, entries, waits)),
    {
      keysOf: ({ command, stored }) =>
        [keyOf(command), stored?.key.keyHash.toString('base64')].filter((key) => typeof key === 'string'),
      senderOf: ({ command }) => command.caller.id,
      targetOf: ({ command }) => targetOf(command),
    },
  );
  // A replay needs a key.
  const apply = (command: C) => write({ command, stored: null }) as Promise<V>;
  return {
    applyIn: (tx, role, commands) => applyIn(tx, options.rules(options.clock()), role, commands),
    apply,
    respond: async (command, idempotency, status, present) => {
      const key = idempotency.readKey();
      if (!key) return { status, body: present(await apply(command)) };
      const toResponse = (result: V) => ({ status, body: idempotency.serialize(status, present(result)) });
      const result = await write({ command, stored: { key, toResponse } });
      return isReplay(result) ? replay(result) : { status, body: present(result) };
    },
  };
}

const isReplay = (result: unknown): result is Replay =>
  typeof result === 'object' && result !== null && 'isReplay' in result;

/**
 * Decides a batch of commands and writes the result.
 *
 * Idempotency keys, callers and targets are locked in this order before anything is read: no session ends and nothing that
 * decides about the commands changes until the transaction ends. Stored responses are read last: another server may just have
 * committed the same request.
 * @param waits commands that need the lock of a target for which it does not wait come back as `RETRY_WITH_TARGET`, those
 *   that need the lock of their caller as `RETRY_INDIVIDUALLY`, and of an idempotency key as `RETRY_IN_NEXT_BATCH`
 */
async function applyBatch<C extends { caller: UnlockedCaller }, L, S, V>(
  { db, clock, rules }: Options<C, L, S, V>,
  entries: Entry<C, V>[],
  waits: LockWaits,
): Promise<(Outcome<V> | Replay)[]> {
  const now = clock();
  const { lock, read, decide } = rules(now);
  return transaction(
    db,
    async (tx, commit) => {
      const keys = entries.map(({ stored }) => stored?.key ?? null);
      const commands = entries.map(({ command }) => command);
      const lockedKeys = lockKeys(tx, keys, waits === 'all');
      if (waits === 'all') await lockedKeys;
      const callers = commands.map(({ caller }) => caller);
      const [[hasKey, roles, locked], [state, responses]] = await lockThenRead(
        [
          () => lockedKeys,
          () => lockCallers(tx, callers, waits === 'all'),
          () => lock(tx, commands, waits !== 'none'),
        ],
        [() => read(tx, commands), () => findStoredResponses(tx, keys, now)],
      );
      const isEnded = waits === 'all' ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
      const admitted: Admitted<C>[] = [];
      const refusals = commands.map((command, index) => {
        const [role, response] = [roles[index], responses[index]];
        if (!hasKey[index]) return RETRY_IN_NEXT_BATCH;
        if (!role) return isEnded;
        if (response) return response;
        const { id, hasAccount } = command.caller;
        admitted.push({ command, viewer: { id, role, hasAccount }, index });
        return null;
      });
      const outcomes = await writeDecided(tx, decide(admitted, locked, state), (outcomes, last) => {
        const storing = storeResponses(responsesOf(entries, outcomes), now);
        const ending = commit(...last, ...storing);
        return storing.length > 0 ? refuseKeyInUse(ending) : ending;
      });
      return refusals.map((refusal, index) => refusal ?? (outcomes.get(index) as Outcome<V>));
    },
    { planOnce: true },
  );
}

/** `applyIn` of a writer. */
async function applyIn<C extends { caller: UnlockedCaller }, L, S, V>(
  tx: Transaction,
  { lock, read, decide }: BatchRules<C, L, S, V>,
  role: Viewer['role'],
  commands: C[],
): Promise<(V | Problem)[]> {
  const [[locked], [state]] = await lockThenRead(
    [() => lock(tx, commands, true)],
    [() => read(tx, commands)],
  );
  const admitted = commands.map((command, index) => ({
    command,
    viewer: { id: command.caller.id, role, hasAccount: command.caller.hasAccount },
    index,
  }));
  const outcomes = await writeDecided(tx, decide(admitted, locked, state), (_, last) =>
    Promise.all(last.map(tx.execute)),
  );
  return commands.map((_, index) => {
    const outcome = outcomes.get(index);
    // Only a command whose target was skipped is retried, and none is skipped here.
    if (outcome === undefined || typeof outcome === 'symbol') throw new Problem('unavailable');
    return outcome;
  });
}

type Outcomes<V> = ReadonlyMap<number, Outcome<V>>;

/**
 * Writes what was decided.
 * @param finish stores the responses of the final outcomes, and commits, together with the last statements
 * @returns the final outcomes
 */
async function writeDecided<V>(
  tx: Transaction,
  { outcomes, statements, lookUp, readBack }: Decided<V>,
  finish: (outcomes: Outcomes<V>, last: Statement[]) => Promise<unknown>,
): Promise<Outcomes<V>> {
  const further = lookUp ? lookUp.statementsFor(await tx.query(lookUp.statement)) : [];
  const all = [...statements, ...further];
  if (!readBack) {
    await finish(outcomes, all);
    return outcomes;
  }
  const written = all.map(tx.execute);
  const [rows] = await Promise.all([tx.query(readBack.statement), ...written]);
  const read = new Map([...outcomes, ...readBack.outcomesOf(rows)]);
  await finish(read, []);
  return read;
}

/** The responses to store: those of commands that have an idempotency key and a result. */
const responsesOf = <C, V>(entries: Entry<C, V>[], outcomes: Outcomes<V>) =>
  entries.flatMap(({ stored }, index) => {
    const outcome = outcomes.get(index);
    if (!stored || outcome === undefined || outcome instanceof Problem || typeof outcome === 'symbol')
      return [];
    return [{ key: stored.key, response: stored.toResponse(outcome) }];
  });
