/** Sending: all messages that wait go out in one transaction, which decides over each in the order in which they came. */

import { RETRY_INDIVIDUALLY } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import { lockCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { newIdAt } from '../../lib/ids.ts';
import type { RelationRow } from '../users/present.ts';
import { keyOfPair, lockPairs, type Pair, pairOf, releasePairs } from '../users/relation-locks.ts';
import type { MessageRow } from './present.ts';
import * as queries from './repo.ts';

export type Ask = { viewer: Caller; otherId: string; text: string };
/** `mostAMinute`: messages of one sender; 0: no limit. */
export type DecisionContext = { clock: () => Date; maxAMinute: number };
type Outcome = MessageRow | Problem | typeof RETRY_INDIVIDUALLY;

/**
 * Sends messages, each to somebody else than its sender.
 * @param isAlone waits for people whom others hold; in a batch what they have to do with comes back as `alone`
 * @returns for each ask the message, or why it was not sent
 */
export function sendMessages(
  db: Database,
  asks: Ask[],
  circumstances: DecisionContext,
  mayWaitForLocks: boolean,
): Promise<Outcome[]> {
  return transaction(db, async (tx, commit) => {
    const viewers = asks.map(({ viewer }) => viewer);
    const [roles, decide] = await Promise.all([
      lockCallers(tx, viewers, mayWaitForLocks),
      lockMessages(tx, asks.map(toCommand), circumstances, mayWaitForLocks),
    ]);
    const gone = mayWaitForLocks ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
    const { outcomes, writes } = decide((i) => (roles[i] ? null : gone));
    await commit(...writes);
    return outcomes;
  });
}

/** Who sends what to whom. */
export type NewMessageCommand = queries.Sides & { text: string };
const toCommand = ({ viewer, otherId, text }: Ask): NewMessageCommand => ({
  userId: viewer.id,
  otherId,
  text,
});

/**
 * Sends one message in a transaction that holds its sender already.
 * @throws Problem `user_not_found`, `blocked`, `too_many_requests`
 */
export async function sendMessage(
  tx: Transaction,
  letter: NewMessageCommand,
  circumstances: DecisionContext,
): Promise<MessageRow> {
  const decide = await lockMessages(tx, [letter], circumstances, true);
  const { outcomes, writes } = decide(() => null);
  const [outcome] = outcomes;
  if (outcome instanceof Problem) throw outcome;
  await Promise.all(writes.map(tx.execute));
  return outcome as MessageRow;
}

/**
 * Locks and reads what decides over these messages. Right under any concurrency: both people are share-locked, so that a
 * deletion is before or after, and what is between the two is locked, which is the one row that a block changes too: a
 * block is answered after a message has come, or is seen here. All messages between the two queue for that row, so
 * each is made after the one before it is there, and times and ids rise in one order for both. Senders' counts are
 * locked in rows of their own, so the limit holds over all servers.
 *
 * Its statements are sent together and run in this order: what the last ones read is what the first ones locked.
 */
async function lockMessages(
  tx: Transaction,
  letters: NewMessageCommand[],
  { clock, maxAMinute }: DecisionContext,
  mayWaitForLocks: boolean,
) {
  const pairs = new Map(letters.map((letter) => [keyOf(letter), pairOf(letter.userId, letter.otherId)]));
  const senders = maxAMinute > 0 ? [...new Set(letters.map(({ userId }) => userId))] : [];
  const [relations, windows, moments] = await Promise.all([
    lockPairs(tx, [...pairs.values()], mayWaitForLocks),
    queries.lockWindows(tx, senders, mayWaitForLocks),
    queries.listLastMoments(tx, [...pairs.values()]),
  ]);
  const now = clock();
  const counts = new Counts(windows, maxAMinute, now);
  const times = new Times(moments, now);
  return (refusalOf: (i: number) => Problem | typeof RETRY_INDIVIDUALLY | null) => {
    const outcomes = letters.map((letter, i): Outcome => {
      const relation = relations.get(keyOf(letter));
      const refusal = refusalOf(i) ?? refuse(relation, mayWaitForLocks) ?? counts.count(letter.userId);
      if (refusal) return refusal;
      const createdAt = times.next(keyOf(letter));
      return { id: newIdAt(createdAt), isOwn: true, text: letter.text, createdAt };
    });
    return { outcomes, writes: writesOf(letters, outcomes, counts, [...pairs.values()]) };
  };
}

const keyOf = ({ userId, otherId }: queries.Sides): string => keyOfPair(pairOf(userId, otherId));

function refuse(
  relation: RelationRow | undefined,
  mayWaitForLocks: boolean,
): Problem | typeof RETRY_INDIVIDUALLY | null {
  if (!relation) return mayWaitForLocks ? new Problem('user_not_found') : RETRY_INDIVIDUALLY;
  return relation.blocks || relation.blockedBy ? new Problem('blocked') : null;
}

function writesOf(letters: NewMessageCommand[], outcomes: Outcome[], counts: Counts, pairs: Pair[]) {
  const sent = letters.flatMap(({ userId, otherId }, i) => {
    const outcome = outcomes[i];
    return outcome && outcome !== RETRY_INDIVIDUALLY && !(outcome instanceof Problem)
      ? [{ userId, otherId, ...outcome }]
      : [];
  });
  return [
    ...(sent.length > 0 ? [queries.moveConversations(sent), queries.insertMessages(sent)] : []),
    ...(counts.changed.size > 0 ? [queries.writeWindows([...counts.changed.values()])] : []),
    releasePairs(pairs),
  ];
}

const minuteMs = 60_000;

/** How many messages each sender has left; a minute begins with the first message after the one before it has ended. */
class Counts {
  readonly changed = new Map<string, queries.Window>();
  readonly #windows: Map<string, queries.Window>;
  readonly #most: number;
  readonly #now: Date;

  constructor(windows: queries.Window[], most: number, now: Date) {
    this.#windows = new Map(windows.map((window) => [window.userId, window]));
    this.#most = most;
    this.#now = now;
  }

  /** Counts a message, unless it is one too many. */
  count(userId: string): Problem | null {
    if (this.#most === 0) return null;
    const known = this.changed.get(userId) ?? this.#windows.get(userId);
    const leftMs = known ? known.since.getTime() + minuteMs - this.#now.getTime() : 0;
    const { since, sent } = known && leftMs > 0 ? known : { since: this.#now, sent: 0 };
    if (sent >= this.#most) return new Problem('too_many_requests', { retryAfter: Math.ceil(leftMs / 1000) });
    this.changed.set(userId, { userId, since, sent: sent + 1 });
    return null;
  }
}

/** Now, or a millisecond after the message before: a moment may hold several, and servers' clocks differ. */
class Times {
  readonly #last: Map<string, number>;
  readonly #now: number;

  constructor(moments: (Pair & { at: Date })[], now: Date) {
    this.#last = new Map(moments.map(({ at, ...pair }) => [keyOfPair(pair), at.getTime()]));
    this.#now = now.getTime();
  }

  next(pair: string): Date {
    const at = Math.max(this.#now, (this.#last.get(pair) ?? 0) + 1);
    this.#last.set(pair, at);
    return new Date(at);
  }
}
