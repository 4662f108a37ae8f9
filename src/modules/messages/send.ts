/**
 * Sends messages: all messages that wait are sent in one transaction, and each gets an outcome of its own.
 */

import type { Database } from '../../db/client.ts';
import { RETRY_INDIVIDUALLY } from '../../db/run-batch.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { lockCallers } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { newIdAt } from '../../lib/ids.ts';
import { type Cause, insertCauses } from '../../outbox/causes.ts';
import { keyOfPair, lockPairs, type Pair, pairOf, releasePairs } from '../users/relation-locks.ts';
import { MessageLimit } from './message-limit.ts';
import { MessageTimes } from './message-times.ts';
import { refuseMessage } from './policy.ts';
import type { MessageRow } from './present.ts';
import {
  insertMessages,
  listLastMessageTimes,
  lockWindows,
  moveConversations,
  type Participants,
  writeWindows,
} from './repo.ts';

export type SendMessageCommand = { caller: Caller; otherId: string; text: string };
/** A message from `userId` to `otherId`. */
type NewMessageCommand = Participants & { text: string };
/** `maxPerMinute`: the maximum number of messages that one sender can send per minute; 0 for no limit. */
export type DecisionContext = { clock: () => Date; maxPerMinute: number };
type Refusal = Problem | typeof RETRY_INDIVIDUALLY;
type Outcome = MessageRow | Refusal;

/**
 * Sends messages. The recipient of each must differ from its sender.
 * @param mayWaitForLocks waits for rows that other transactions lock; otherwise the outcome of the messages
 *   that need these rows is `RETRY_INDIVIDUALLY`
 * @returns for each command the message, or the reason why it was not sent
 */
export function sendMessages(
  db: Database,
  commands: SendMessageCommand[],
  context: DecisionContext,
  mayWaitForLocks: boolean,
): Promise<Outcome[]> {
  return transaction(db, async (tx, commit) => {
    const callers = commands.map(({ caller }) => caller);
    const messages = commands.map(({ caller, otherId, text }) => ({ userId: caller.id, otherId, text }));
    const [roles, decide] = await Promise.all([
      lockCallers(tx, callers, mayWaitForLocks),
      prepareDecision(tx, messages, context, mayWaitForLocks),
    ]);
    const signedOut = mayWaitForLocks ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
    const { outcomes, writes } = decide((i) => (roles[i] ? null : signedOut));
    await commit(...writes);
    return outcomes;
  });
}

/**
 * Sends one message in a transaction that has locked the sender's account.
 * @throws Problem `user_not_found`, `blocked`, `too_many_requests`
 */
export async function sendMessage(
  tx: Transaction,
  message: NewMessageCommand,
  context: DecisionContext,
): Promise<MessageRow> {
  const decide = await prepareDecision(tx, [message], context, true);
  const { outcomes, writes } = decide(() => null);
  const [outcome] = outcomes;
  if (outcome instanceof Problem) throw outcome;
  await Promise.all(writes.map(tx.execute));
  return outcome as MessageRow;
}

/**
 * Locks and reads the rows that decide on `messages`. The locks make the decision correct under concurrency:
 * - Share locks on both people: an account deletion commits before the message is decided, or waits for it.
 * - A lock on the relation, which blocking changes too: a block commits before the message is decided, or
 *   waits for it. Messages of a pair queue for this row, so their times and ids increase in the order of
 *   their transactions.
 * - A lock on the sender's window: the limit holds across all servers.
 *
 * The statements are sent together and run in this order, so each reads rows that the ones before it locked.
 *
 * @returns decides on the messages in their order; its argument refuses the message at an index, or returns
 *   null
 */
async function prepareDecision(
  tx: Transaction,
  messages: NewMessageCommand[],
  { clock, maxPerMinute }: DecisionContext,
  mayWaitForLocks: boolean,
) {
  const pairs = [
    ...new Map(messages.map((message) => [pairKeyOf(message), pairOfParticipants(message)])).values(),
  ];
  const senders = maxPerMinute > 0 ? [...new Set(messages.map(({ userId }) => userId))] : [];
  const [relations, windows, lastTimes] = await Promise.all([
    lockPairs(tx, pairs, mayWaitForLocks),
    lockWindows(tx, senders, mayWaitForLocks),
    listLastMessageTimes(tx, pairs),
  ]);
  const now = clock();
  const limit = new MessageLimit(windows, maxPerMinute, now);
  const times = new MessageTimes(lastTimes, now);
  return (refusalOf: (index: number) => Refusal | null) => {
    const outcomes = messages.map((message, i): Outcome => {
      const key = pairKeyOf(message);
      const refusal =
        refusalOf(i) ?? refuseMessage(relations.get(key), mayWaitForLocks) ?? limit.count(message.userId);
      if (refusal) return refusal;
      const createdAt = times.next(key);
      return { id: newIdAt(createdAt), isOwn: true, text: message.text, createdAt };
    });
    return { outcomes, writes: writesOf(messages, outcomes, limit, pairs) };
  };
}

const pairOfParticipants = ({ userId, otherId }: Participants): Pair => pairOf(userId, otherId);
const pairKeyOf = (participants: Participants): string => keyOfPair(pairOfParticipants(participants));

const toCause = ({ userId, otherId }: Participants): Cause => ({
  userId: otherId,
  kind: 'message',
  subjectId: userId,
  actorId: userId,
  amount: 1,
});

/** The statements that write the decided outcomes. */
function writesOf(messages: NewMessageCommand[], outcomes: Outcome[], limit: MessageLimit, pairs: Pair[]) {
  const sent = messages.flatMap(({ userId, otherId }, i) => {
    const outcome = outcomes[i];
    return outcome && outcome !== RETRY_INDIVIDUALLY && !(outcome instanceof Problem)
      ? [{ userId, otherId, ...outcome }]
      : [];
  });
  return [
    ...(sent.length > 0
      ? [moveConversations(sent), insertMessages(sent), insertCauses(sent.map(toCause))]
      : []),
    ...(limit.changed.size > 0 ? [writeWindows([...limit.changed.values()])] : []),
    releasePairs(pairs),
  ];
}
