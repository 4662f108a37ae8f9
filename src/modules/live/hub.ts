/**
 * Live events of one server. While somebody listens, the state of their events is read again and again, all in one
 * statement, and what differs from the last state is told to those who listen. So it does not matter on which server
 * or by what a change was made, and what one look missed the next one sees.
 *
 * There is one look at a time, so states never go back. Whoever comes waits for a look that begins after them.
 */

import type { Caller } from '../../identity/caller.ts';
import { isLive, type LiveSession } from '../../identity/sessions.ts';
import { Problem, type ProblemCode } from '../../lib/errors.ts';
import { isVisible } from '../events/policy.ts';
import type { EventServices } from '../events/services.ts';
import { changeMessages, type LiveState, toState } from './present.ts';
import { type LiveRow, listLiveRows } from './repo.ts';

/** In ms, from one look at all events to the next; a slow one is followed by a rest as long as itself. */
const lookEvery = 150;
/** In ms. What takes longer has failed; a database that is away is asked again as often as `awayEvery` says. */
const patience = 5_000;
const awayEvery = 1_000;
/** Events in a statement. */
const maxAtOnce = 200;

export type Listener = {
  caller: Caller | null;
  /** @param messages what leads from the state before to `state` */
  tell(state: LiveState, messages: Buffer): void;
  /** The end, with the code that the same request would be refused with now, if it would be. */
  end(code: ProblemCode | null): void;
};

/** Called at the moment of `state`, from which on the listener is told; null for one who needs no more than that. */
type Begin = (state: LiveState) => Listener | null;
type Newcomer = { eventId: string; caller: Caller | null; begin: Begin } & PromiseWithResolvers<void>;
type Topic = { row: LiveRow; state: LiveState; listeners: Set<Listener> };
/** Null for those whose session has ended. */
type Viewers = Map<Caller, Caller | null>;
type Deps = Pick<EventServices, 'db' | 'changeLog' | 'sessions' | 'clock'>;

export class Hub {
  readonly #deps: Deps;
  readonly #topics = new Map<string, Topic>();
  #newcomers: Newcomer[] = [];
  /** When all are to be looked at again, by `performance.now`. */
  #due = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Begins at a state that is at least as new as the call.
   * @throws Problem `event_not_found`, `token_invalid`, `unavailable`, and whatever the database throws
   */
  listen(eventId: string, caller: Caller | null, begin: Begin): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Problem('unavailable'));
    const newcomer = { eventId, caller, begin, ...Promise.withResolvers<void>() };
    this.#newcomers.push(newcomer);
    this.#wake();
    return newcomer.promise;
  }

  leave(eventId: string, listener: Listener): void {
    const topic = this.#topics.get(eventId);
    if (topic?.listeners.delete(listener) && topic.listeners.size === 0) this.#topics.delete(eventId);
  }

  /** Ends all streams; whoever comes after that is refused. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { listeners } of this.#topics.values()) for (const listener of listeners) listener.end(null);
    this.#topics.clear();
    for (const { reject } of this.#newcomers.splice(0)) reject(new Problem('unavailable'));
  }

  #wake(): void {
    if (this.#isLooking || this.#isClosed) return;
    clearTimeout(this.#timer);
    if (this.#newcomers.length === 0 && this.#topics.size === 0) return;
    const wait = this.#newcomers.length > 0 ? 0 : Math.max(0, this.#due - performance.now());
    this.#timer = setTimeout(() => void this.#look(), wait).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const since = performance.now();
    const newcomers = this.#newcomers.splice(0);
    const isDue = since >= this.#due;
    const ids = new Set(newcomers.map(({ eventId }) => eventId));
    if (isDue) for (const id of this.#topics.keys()) ids.add(id);
    try {
      await this.#lookAt([...ids], newcomers);
      const took = performance.now() - since;
      if (isDue) this.#due = since + Math.max(lookEvery, 2 * took);
    } catch (error) {
      // Streams stay open, and go on from where they are when the database is back.
      for (const { reject } of newcomers) reject(error);
      this.#due = performance.now() + awayEvery;
    }
    this.#isLooking = false;
    this.#wake();
  }

  /** First the states, then who may still listen: nobody is told what was so after their session had ended. */
  async #lookAt(ids: string[], newcomers: Newcomer[]): Promise<void> {
    // As they are now: a topic that its last listener leaves meanwhile may be the one that a newcomer comes for.
    const known = new Map(ids.map((id) => [id, this.#topics.get(id) ?? null]));
    const rows = await inTime(this.#read(known));
    const listeners = [...known.values()].flatMap((topic) => [...(topic?.listeners ?? [])]);
    const viewers = await inTime(this.#viewersOf([...listeners, ...newcomers]));
    if (this.#isClosed) throw new Problem('unavailable');
    const arrivals = Map.groupBy(newcomers, ({ eventId }) => eventId);
    for (const [id, before] of known) {
      const row = rows.has(id) ? (rows.get(id) ?? null) : (before?.row ?? null);
      if (before) dismiss(before, row, viewers);
      const topic = row && renewed(before, row);
      for (const newcomer of arrivals.get(id) ?? []) welcome(topic, newcomer, viewers);
      if (topic && topic.listeners.size > 0) this.#topics.set(id, topic);
      else this.#topics.delete(id);
    }
  }

  async #read(topics: Map<string, Topic | null>): Promise<Map<string, LiveRow | null>> {
    const known = [...topics].map(([id, topic]) => ({ id, print: topic?.row.print ?? '' }));
    const rows = new Map<string, LiveRow | null>();
    for (let i = 0; i < known.length; i += maxAtOnce) {
      const some = await listLiveRows(this.#deps.db, known.slice(i, i + maxAtOnce));
      for (const [id, row] of some) rows.set(id, row);
    }
    return rows;
  }

  async #viewersOf(people: { caller: Caller | null }[]): Promise<Viewers> {
    const { changeLog, sessions, clock } = this.#deps;
    const callers = people.flatMap(({ caller }) => caller ?? []);
    if (callers.length === 0) return new Map();
    await changeLog.catchUp();
    const viewers: Viewers = new Map();
    const now = clock();
    const add = (caller: Caller, session: LiveSession | null) => {
      const isHere = session && isLive(session, { userId: caller.id, hash: caller.accessHash }, now);
      viewers.set(caller, isHere ? { ...caller, role: session.role } : null);
    };
    const loading: Promise<void>[] = [];
    for (const caller of callers) {
      const session = sessions.findCached({ userId: caller.id, sessionId: caller.sessionId });
      // Nearly always in memory, and then nobody waits.
      if (session instanceof Promise) loading.push(session.then((loaded) => add(caller, loaded)));
      else add(caller, session);
    }
    await Promise.all(loading);
    return viewers;
  }
}

/** The topic as it is now; those who listen have been told. */
function renewed(topic: Topic | null, row: LiveRow): Topic {
  if (!topic) return { row, state: toState(row), listeners: new Set() };
  if (row === topic.row) return topic;
  const state = toState(row);
  const messages = Buffer.from(changeMessages(topic.state, state));
  if (messages.length > 0) for (const listener of topic.listeners) listener.tell(state, messages);
  return Object.assign(topic, { row, state });
}

/** Ends the streams of those who may not listen any more. */
function dismiss({ listeners }: Topic, row: LiveRow | null, viewers: Viewers): void {
  for (const listener of listeners) {
    const refusal = refusalOf(row, listener, viewers);
    if (!refusal) continue;
    listeners.delete(listener);
    listener.end(refusal);
  }
}

function refusalOf(
  row: LiveRow | null,
  { caller }: { caller: Caller | null },
  viewers: Viewers,
): ProblemCode | null {
  const viewer = caller && (viewers.get(caller) ?? null);
  if (caller && !viewer) return 'token_invalid';
  return row && isVisible(row, viewer) ? null : 'event_not_found';
}

function welcome(topic: Topic | null, newcomer: Newcomer, viewers: Viewers): void {
  const refusal = refusalOf(topic?.row ?? null, newcomer, viewers);
  if (refusal || !topic) {
    newcomer.reject(new Problem(refusal ?? 'event_not_found'));
    return;
  }
  try {
    const listener = newcomer.begin(topic.state);
    if (listener) topic.listeners.add(listener);
    newcomer.resolve();
  } catch (error) {
    newcomer.reject(error);
  }
}

/** @throws as a connection that went silent */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem('unavailable')), patience);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
