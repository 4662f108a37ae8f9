/**
 * Sends messages: all messages that wait are sent in one transaction, and each gets an outcome of its own.
 */

import { newIdAt } from '#base';
import { lockThenRead, RETRY_INDIVIDUALLY, type Transaction } from '#pg';
import type { BatchRules } from '../../idempotency/batch-writer.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { type Cause, insertCauses } from '../../outbox/causes.ts';
import { keyOfPair, lockPairs, type Pair, pairOf, releasePairs } from '../people/relations/locks.ts';
import { isLimited, limitMessages, type MessageLimits } from './message-limit.ts';
import { messageTimes } from './message-times.ts';
import { refuseMessage } from './policy.ts';
import type { MessageRow } from './present.ts';
import {
  insertMessages,
  listLastMessageTimes,
  lockWindows,
  moveConversations,
  type Participants,
  type SendingWindow,
  writeWindows,
} from './repo.ts';

export type SendMessageCommand = { caller: Caller; otherId: string; text: string; eventId: string | null };
/** A message from `userId` to `otherId`. */
type NewMessageCommand = Participants & { text: string; eventId: string | null };
export type DecisionContext = { clock: () => Date; limits: MessageLimits };
type Outcome = MessageRow | Problem | typeof RETRY_INDIVIDUALLY;

type Locked = Awaited<ReturnType<typeof lockTargets>>;
type LastTimes = Awaited<ReturnType<typeof readLastTimes>>;

/** `eventId`: the event that the message is about. */
const messageOf = ({ caller, otherId, text, eventId }: SendMessageCommand): NewMessageCommand => ({
  userId: caller.id,
  otherId,
  text,
  eventId,
});

/** The rules of batches of messages. The recipient of each message must differ from its sender. */
export const messageRules = (
  context: DecisionContext,
): BatchRules<SendMessageCommand, Locked, LastTimes, MessageRow> => ({
  lock: (tx, commands, mayWaitForLocks) => lockTargets(tx, commands.map(messageOf), context, mayWaitForLocks),
  read: (tx, commands) => readLastTimes(tx, commands.map(messageOf)),
  decide: (commands, locked, lastTimes) => {
    const messages = commands.map(({ command }) => messageOf(command));
    const { outcomes, statements } = decideAll(messages, locked, lastTimes, context);
    return {
      outcomes: new Map(commands.map(({ index }, i) => [index, outcomes[i] as Outcome])),
      statements,
    };
  },
});

/**
 * Sends one message in a transaction that has locked the sender's account.
 * @throws Problem `user_not_found`, `blocked`, `too_many_requests`, `quota_exceeded`
 */
export async function sendMessage(
  tx: Transaction,
  message: NewMessageCommand,
  context: DecisionContext,
): Promise<MessageRow> {
  const [[locked], [lastTimes]] = await lockThenRead(
    [() => lockTargets(tx, [message], context, true)],
    [() => readLastTimes(tx, [message])],
  );
  const { outcomes, statements } = decideAll([message], locked, lastTimes, context);
  const [outcome] = outcomes;
  if (outcome instanceof Problem) throw outcome;
  await Promise.all(statements.map(tx.execute));
  return outcome as MessageRow;
}

/**
 * Locks what decides on `messages`:
 * - Share locks on both people: an account deletion commits before the message is decided, or waits for it.
 * - A lock on the relation, which blocking changes too: a block commits before the message is decided, or
 *   waits for it. Messages of a pair queue for this row, so their times and ids increase in the order of
 *   their transactions.
 * - A lock on the sender's window: the limits hold across all servers.
 */
async function lockTargets(
  tx: Transaction,
  messages: NewMessageCommand[],
  { limits }: DecisionContext,
  mayWaitForLocks: boolean,
) {
  const pairs = pairsOf(messages);
  const senders = isLimited(limits) ? [...new Set(messages.map(({ userId }) => userId))] : [];
  const [[relations, windows]] = await lockThenRead(
    [() => lockPairs(tx, pairs, mayWaitForLocks), () => lockWindows(tx, senders, mayWaitForLocks)],
    [],
  );
  return { pairs, relations, windows, mayWaitForLocks };
}

/** The time of the last message of each pair: it changes only under the lock of the relation. */
const readLastTimes = (tx: Transaction, messages: NewMessageCommand[]) =>
  listLastMessageTimes(tx, pairsOf(messages));

/** Decides on the messages in their order. */
function decideAll(
  messages: NewMessageCommand[],
  { pairs, relations, windows, mayWaitForLocks }: Locked,
  lastTimes: LastTimes,
  { clock, limits }: DecisionContext,
) {
  const now = clock();
  const { changed, count } = limitMessages(windows, limits, now);
  const nextTime = messageTimes(lastTimes, now);
  const outcomes = messages.map((message): Outcome => {
    const key = pairKeyOf(message);
    const refusal = refuseMessage(relations.get(key), mayWaitForLocks) ?? count(message.userId);
    if (refusal) return refusal;
    const createdAt = nextTime(key);
    return { id: newIdAt(createdAt), isOwn: true, text: message.text, createdAt, eventId: message.eventId };
  });
  return { outcomes, statements: writesOf(messages, outcomes, [...changed.values()], pairs) };
}

const pairsOf = (messages: NewMessageCommand[]): Pair[] => [
  ...new Map(messages.map((message) => [pairKeyOf(message), pairOfParticipants(message)])).values(),
];
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
function writesOf(
  messages: NewMessageCommand[],
  outcomes: Outcome[],
  windows: SendingWindow[],
  pairs: Pair[],
) {
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
    ...(windows.length > 0 ? [writeWindows(windows)] : []),
    releasePairs(pairs),
  ];
}
