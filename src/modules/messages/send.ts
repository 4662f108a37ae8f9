/**
 * Sends messages: all messages that wait are sent in one transaction, and each gets an outcome of its own.
 */

import { newIdAt } from '#base';
import { RETRY_INDIVIDUALLY, type Transaction } from '#pg';
import type { BatchRules } from '../../idempotency/batch-writer.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { type Cause, insertCauses } from '../../outbox/causes.ts';
import { keyOfPair, lockPairs, type Pair, pairOf, releasePairs } from '../users/relation-locks.ts';
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

type Decide = Awaited<ReturnType<typeof prepareDecision>>;

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
): BatchRules<SendMessageCommand, Decide, MessageRow> => ({
  lockAndRead: (tx, commands, mayWaitForLocks) =>
    prepareDecision(tx, commands.map(messageOf), context, mayWaitForLocks),
  decide: (commands, decide) => {
    const { outcomes, writes } = decide(commands.map(({ command }) => messageOf(command)));
    return {
      outcomes: new Map(commands.map(({ index }, i) => [index, outcomes[i] as Outcome])),
      write: (_tx, finish) => finish(...writes),
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
  const decide = await prepareDecision(tx, [message], context, true);
  const { outcomes, writes } = decide([message]);
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
 * - A lock on the sender's window: the limits hold across all servers.
 *
 * The statements are sent together and run in this order, so each reads rows that the ones before it locked.
 *
 * @returns decides on those of the messages that it is given, in their order
 */
async function prepareDecision(
  tx: Transaction,
  messages: NewMessageCommand[],
  { clock, limits }: DecisionContext,
  mayWaitForLocks: boolean,
) {
  const pairs = [
    ...new Map(messages.map((message) => [pairKeyOf(message), pairOfParticipants(message)])).values(),
  ];
  const senders = isLimited(limits) ? [...new Set(messages.map(({ userId }) => userId))] : [];
  const [relations, windows, lastTimes] = await Promise.all([
    lockPairs(tx, pairs, mayWaitForLocks),
    lockWindows(tx, senders, mayWaitForLocks),
    listLastMessageTimes(tx, pairs),
  ]);
  const now = clock();
  const { changed, count } = limitMessages(windows, limits, now);
  const nextTime = messageTimes(lastTimes, now);
  return (admitted: NewMessageCommand[]) => {
    const outcomes = admitted.map((message): Outcome => {
      const key = pairKeyOf(message);
      const refusal = refuseMessage(relations.get(key), mayWaitForLocks) ?? count(message.userId);
      if (refusal) return refusal;
      const createdAt = nextTime(key);
      return { id: newIdAt(createdAt), isOwn: true, text: message.text, createdAt, eventId: message.eventId };
    });
    return { outcomes, writes: writesOf(admitted, outcomes, [...changed.values()], pairs) };
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
