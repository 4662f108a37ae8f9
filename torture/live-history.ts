/**
 * The states of one event, as a client of the API predicts them from its own writes: one state after each
 * acknowledged write. Every state that a live stream shows must be one of them.
 */
import { hash } from 'node:crypto';
import type { StreamMessage } from '../test/support/event-stream-client.ts';

/** A part of a state: `event`, `counts`, or an item by its id. */
type Parts = Map<string, object>;
type Write = { requestedAt: number; acknowledgedAt: number };

/** The sum (XOR) of the hashes of all parts, so that a change of one part costs the same in any state. */
const hashOf = (name: string, value: object): bigint => {
  const text = JSON.stringify([name, Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))]);
  return BigInt(`0x${hash('sha256', text).slice(0, 24)}`);
};

class State {
  readonly parts: Parts = new Map();
  hash = 0n;

  set(name: string, value: object): void {
    this.remove(name);
    this.parts.set(name, value);
    this.hash ^= hashOf(name, value);
  }

  /** @returns whether the part existed */
  remove(name: string): boolean {
    const before = this.parts.get(name);
    if (before) this.hash ^= hashOf(name, before);
    return this.parts.delete(name);
  }

  clear(): void {
    this.parts.clear();
    this.hash = 0n;
  }
}

export class LiveHistory {
  readonly #state = new State();
  readonly #indexes = new Map<bigint, number>();
  readonly #ids = new Map<string, number>();
  /** The write at index i leads from state i to state i + 1. */
  readonly writes: Write[] = [];

  constructor(event: object, counts: object, items: { id: string }[]) {
    this.#state.set('event', event);
    this.#state.set('counts', counts);
    for (const item of items) this.#state.set(item.id, withoutVersion(item));
    this.#indexes.set(this.#state.hash, 0);
  }

  /** The value of a part in the newest state. */
  part<T extends object>(name: string): T {
    return this.#state.parts.get(name) as T;
  }

  /** Adds the state after a write. @param changes the new values of parts; null for a removed one */
  add(write: Write, changes: Record<string, object | null>): void {
    for (const [name, value] of Object.entries(changes))
      if (value) this.#state.set(name, value);
      else this.#state.remove(name);
    this.writes.push(write);
    if (this.#indexes.has(this.#state.hash)) throw new Error('two states of the history are equal');
    this.#indexes.set(this.#state.hash, this.writes.length);
  }

  /** Follows the messages that one client received in order, also over several streams. */
  follow(messages: StreamMessage[]): Followed {
    const state = new State();
    const followed: Followed = { states: 0, faults: [], arrivals: [], last: -1 };
    for (const { event, data, id, at } of messages) {
      if (event === 'snapshot') {
        state.clear();
        state.set('event', data.event);
        state.set('counts', data.counts);
        for (const item of data.items) state.set(item.id, withoutVersion(item));
        if (!isAscending(data.items)) followed.faults.push('a snapshot with items in the wrong order');
      } else if (event === 'item') state.set(data.id, withoutVersion(data));
      else if (event === 'event' || event === 'counts') state.set(event, data);
      else if (event !== 'itemRemoved') followed.faults.push(`an unexpected message ${event}`);
      else if (!state.remove(data.id)) followed.faults.push('itemRemoved for an unknown item');
      // Only the last message of a change has an id.
      if (id === undefined) continue;
      followed.states++;
      const index = this.#indexes.get(state.hash);
      if (index === undefined) followed.faults.push('a state that never existed');
      else if (index < followed.last) followed.faults.push('a state older than the one before');
      else if ((this.#ids.get(id) ?? index) !== index) followed.faults.push('one id for two states');
      else {
        this.#ids.set(id, index);
        while (followed.arrivals.length <= index) followed.arrivals.push(at);
        followed.last = index;
      }
    }
    return followed;
  }
}

type Followed = {
  /** The number of states that were compared with the history. */
  states: number;
  faults: string[];
  /** For each state of the history, when the client had it or a newer one. */
  arrivals: number[];
  /** The index of the newest state that the client had. */
  last: number;
};

/** The program does not know how the server computes versions of items and of their claims. */
function withoutVersion(item: { id: string; version?: unknown; claimsVersion?: unknown }): object {
  const { version: _version, claimsVersion: _claimsVersion, ...known } = item;
  return known;
}

/** The order in which items were added: the number at the end of their ids. */
function isAscending(items: { id: string }[]): boolean {
  const numbers = items.map(({ id }) => Number(id.split('.')[1]));
  return numbers.every((n, i) => i === 0 || n > (numbers[i - 1] ?? 0));
}
