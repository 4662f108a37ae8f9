/**
 * Publishes the state of live events to the subscribers of this server. While an event has subscribers, the
 * hub polls the version of its state, together with those of all other events in one statement, reads the states whose
 * versions have changed, and sends the difference from the last state. So it makes no difference which server made a
 * change, and a poll that fails loses nothing.
 *
 * One poll runs at a time, so states are sent in order. A new subscriber waits for a poll that begins after
 * the request.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { assertTransition, inChunks, type Transitions, withTimeout } from '#base';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { EventServices } from '../events/services.ts';
import { readAccess } from './current-callers.ts';
import { type LiveRow, listChanged, listLiveRows } from './repo.ts';
import type { Stream } from './stream.ts';
import { admit, type PendingSubscription, removeRefused, type Topic, updateTopic } from './topics.ts';

/**
 * In ms, from one poll of all events to the next; after a slow poll the hub pauses for as long as the poll
 * took.
 */
const pollIntervalMs = 150;
/** A statement of a poll that takes longer has failed. */
const timeoutMs = 5_000;
/** In ms, from a failed poll to the next. */
const retryIntervalMs = 1_000;
/** Events in a statement for versions, and in one for states, of which each may have a megabyte of items. */
const [maxVersions, maxStates] = [200, 20];
/**
 * In ms: a poll that takes longer to process lets requests run between its events. It does not use
 * `mapInTurns`, where each pause would wait for the lists that came before, and all streams with it.
 */
const maxTurnMs = 5;

type HubServices = Pick<EventServices, 'db' | 'changeLog' | 'sessions' | 'clock'>;

/** `idle`: no event has subscribers. `waiting`: the next poll has a time. `closed`: the server ends. */
type State = 'idle' | 'waiting' | 'polling' | 'closed';

const transitions: Transitions<State> = {
  idle: ['waiting', 'closed'],
  waiting: ['idle', 'waiting', 'polling', 'closed'],
  polling: ['idle', 'closed'],
  closed: ['closed'],
};

export class Hub {
  readonly #services: HubServices;
  readonly #topics = new Map<string, Topic>();
  #pending: PendingSubscription[] = [];
  /** When the next poll of all events is due, by `performance.now`. */
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #state: State = 'idle';

  constructor(services: HubServices) {
    this.#services = services;
  }

  /**
   * Calls `onState` with a state that is at least as new as this call, and sends all later changes to the
   * subscriber that `onState` returns.
   * @throws Problem `event_not_found`, `token_invalid`, `unavailable`, and errors of the database
   */
  subscribe(eventId: string, caller: Caller | null, onState: PendingSubscription['onState']): Promise<void> {
    if (this.#state === 'closed') return Promise.reject(new Problem('unavailable'));
    const pending = { eventId, caller, onState, ...Promise.withResolvers<void>() };
    this.#pending.push(pending);
    this.#schedule();
    return pending.promise;
  }

  unsubscribe(eventId: string, subscriber: Stream): void {
    const topic = this.#topics.get(eventId);
    if (topic?.subscribers.delete(subscriber) && topic.subscribers.size === 0) this.#topics.delete(eventId);
  }

  /** Ends all streams and rejects later subscriptions. */
  close(): void {
    this.#enter('closed');
    clearTimeout(this.#timer);
    for (const { subscribers } of this.#topics.values()) {
      for (const subscriber of subscribers) subscriber.end(null);
      // A poll that serializes a state now has no one left to send it to.
      subscribers.clear();
    }
    this.#topics.clear();
    for (const { reject } of this.#pending.splice(0)) reject(new Problem('unavailable'));
  }

  /** @throws Error for a state that may not follow the present one */
  #enter(state: State): void {
    assertTransition(transitions, this.#state, state);
    this.#state = state;
  }

  /** Sets the time of the next poll, unless one is running. */
  #schedule(): void {
    if (this.#state !== 'idle' && this.#state !== 'waiting') return;
    clearTimeout(this.#timer);
    const hasWork = this.#pending.length > 0 || this.#topics.size > 0;
    if (hasWork || this.#state === 'waiting') this.#enter(hasWork ? 'waiting' : 'idle');
    if (!hasWork) return;
    const delayMs = this.#pending.length > 0 ? 0 : Math.max(0, this.#dueAt - performance.now());
    this.#timer = setTimeout(() => void this.#poll(), delayMs).unref();
  }

  /** For work that was awaited: the compiler assumes that no other call has changed the state meanwhile. */
  get #isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** Polls the events of pending subscriptions, and all other events if their poll is due. */
  async #poll(): Promise<void> {
    this.#enter('polling');
    const startedAt = performance.now();
    const pending = this.#pending.splice(0);
    const isDue = startedAt >= this.#dueAt;
    const ids = new Set(pending.map(({ eventId }) => eventId));
    if (isDue) for (const id of this.#topics.keys()) ids.add(id);
    try {
      await this.#pollEvents([...ids], pending);
      const elapsedMs = performance.now() - startedAt;
      if (isDue) this.#dueAt = startedAt + Math.max(pollIntervalMs, 2 * elapsedMs);
    } catch (error) {
      // Open streams stay open and continue from their last state when the database is back.
      for (const { reject } of pending) reject(error);
      this.#dueAt = performance.now() + retryIntervalMs;
    }
    if (this.#isClosed) return;
    this.#enter('idle');
    this.#schedule();
  }

  /**
   * Reads states before sessions, so that no subscriber gets a state that is newer than the end of their
   * session.
   */
  async #pollEvents(ids: string[], pending: PendingSubscription[]): Promise<void> {
    // Captured before the reads: the last subscriber of a topic may leave while a pending subscription needs
    // the topic.
    const topics = new Map(ids.map((id) => [id, this.#topics.get(id) ?? null]));
    const rows = await withTimeout(this.#readRows(topics), timeoutMs);
    const rowOf = (id: string) => (rows.has(id) ? (rows.get(id) ?? null) : (topics.get(id)?.row ?? null));
    const subscribers = [...topics].flatMap(([eventId, topic]) =>
      [...(topic?.subscribers ?? [])].map(({ caller }) => ({ eventId, caller })),
    );
    const reading = readAccess(this.#services, [...subscribers, ...pending], rowOf);
    const access = await withTimeout(reading, timeoutMs);
    if (this.#isClosed) throw new Problem('unavailable');
    const pendingByEvent = Map.groupBy(pending, ({ eventId }) => eventId);
    let turnStartedAt = performance.now();
    for (const [id, before] of topics) {
      if (performance.now() - turnStartedAt > maxTurnMs) {
        await nextTurn();
        turnStartedAt = performance.now();
      }
      const row = rowOf(id);
      if (before) removeRefused(before, row, access);
      const topic = row && (await updateTopic(before, row));
      if (this.#isClosed) throw new Problem('unavailable');
      for (const subscription of pendingByEvent.get(id) ?? []) admit(topic, subscription, access);
      if (topic && topic.subscribers.size > 0) this.#topics.set(id, topic);
      else this.#topics.delete(id);
    }
  }

  /** The rows that differ from the last poll; null for an event that does not exist. */
  async #readRows(topics: Map<string, Topic | null>): Promise<Map<string, LiveRow | null>> {
    const { db } = this.#services;
    const ids = [...topics.keys()].filter((id) => !topics.get(id));
    const known = [...topics].flatMap(([id, topic]) => (topic ? { id, version: topic.row.version } : []));
    for (const some of inChunks(known, maxVersions)) ids.push(...(await listChanged(db, some)));
    const rows = new Map<string, LiveRow | null>();
    for (const some of inChunks(ids, maxStates))
      for (const [id, row] of await listLiveRows(db, some)) rows.set(id, row);
    return rows;
  }
}
