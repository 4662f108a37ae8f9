/** Topics: the live events of one server, each with its last known state and its subscribers. */
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { ProblemCode } from '../../lib/problem-catalogue.ts';
import { isVisible } from '../events/policy.ts';
import { changeMessages, type LiveState, toState } from './present.ts';
import type { LiveRow } from './repo.ts';
import type { Stream } from './stream.ts';

export type Topic = { row: LiveRow; state: LiveState; subscribers: Set<Stream> };

/** A request that waits for the next poll. */
export type PendingSubscription = {
  eventId: string;
  caller: Caller | null;
  /** Called with the first state; returns null to read this state alone. */
  onState: (state: LiveState) => Stream | null;
} & PromiseWithResolvers<void>;

/** Each caller with their current role; null if their session has ended. */
export type CurrentCallers = Map<Caller, Caller | null>;
/** What decides who receives states. `invited`: the invited people of private events, by `invitedKey`. */
export type Access = { callers: CurrentCallers; invited: Set<string> };

export const invitedKey = (eventId: string, userId: string): string => `${eventId} ${userId}`;

/** The topic with the state of `row`. Sends the difference to those who are subscribers when the state is ready. */
export async function updateTopic(topic: Topic | null, row: LiveRow): Promise<Topic> {
  if (row === topic?.row) return topic;
  const state = await toState(row);
  if (!topic) return { row, state, subscribers: new Set() };
  const messages = Buffer.from(changeMessages(topic.state, state));
  if (messages.length > 0) for (const subscriber of topic.subscribers) subscriber.send(state, messages);
  return Object.assign(topic, { row, state });
}

/** Ends the streams of subscribers whose session has ended or who may not see the event any more. */
export function removeRefused({ subscribers }: Topic, row: LiveRow | null, access: Access): void {
  for (const subscriber of subscribers) {
    const refusal = refusalOf(row, subscriber, access);
    if (!refusal) continue;
    subscribers.delete(subscriber);
    subscriber.end(refusal);
  }
}

/** Settles a pending subscription: adds its subscriber to the topic, or rejects it with the problem. */
export function admit(topic: Topic | null, pending: PendingSubscription, access: Access): void {
  const refusal = refusalOf(topic?.row ?? null, pending, access);
  if (refusal || !topic) {
    pending.reject(new Problem(refusal ?? 'event_not_found'));
    return;
  }
  try {
    const subscriber = pending.onState(topic.state);
    if (subscriber) topic.subscribers.add(subscriber);
    pending.resolve();
  } catch (error) {
    pending.reject(error);
  }
}

function refusalOf(
  row: LiveRow | null,
  { caller }: { caller: Caller | null },
  { callers, invited }: Access,
): ProblemCode | null {
  const current = caller && (callers.get(caller) ?? null);
  if (caller && !current) return 'token_invalid';
  if (!row) return 'event_not_found';
  const isInvited = current !== null && invited.has(invitedKey(row.id, current.id));
  return isVisible(row, current, { isInvited }) ? null : 'event_not_found';
}
