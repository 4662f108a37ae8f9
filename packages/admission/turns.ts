/**
 * Turns: the requests of one client network run few at a time; its further ones wait, in the order of their arrival. So a
 * client that sends many expensive requests at once delays its own requests and hardly those of others. Without it, all of
 * them would be ahead of the next request of anyone else, in the event loop and at the database. Requests of different kinds
 * wait for each other only within their kind. After each request, its place stays empty for as long as it took: a network
 * with many requests leaves half of the time to others.
 */
import type { NetworkLoad, OpenRequest } from './open-requests.ts';

/** `atOnce`: the places of a network. `leastPauseMs`, `maxPauseMs`: of the pause after a turn. */
export type TurnRule = { atOnce: number; leastPauseMs: number; maxPauseMs: number };

/** `places`: those that the request takes. `minPauseMs`: after a shorter turn, the pause is the least one. */
export type Turn<K extends string> = { kind: K; places: number; minPauseMs: number };

type Waiting<K extends string> = { request: OpenRequest<unknown>; turn: Turn<K>; start: () => void };
/** `taken`: the number of places. */
type Queue<K extends string> = { taken: number; waiting: Waiting<K>[] };

/**
 * The number of waiting requests is bounded by the places of their network among the open requests, and a request that waits
 * until its timeout is answered there.
 */
export class Turns<K extends string> {
  readonly #rules: Record<K, TurnRule>;
  readonly #queues = new WeakMap<NetworkLoad, Map<K, Queue<K>>>();

  constructor(rules: Record<K, TurnRule>) {
    this.#rules = rules;
  }

  /** Calls `start` when the request has its turn, which lasts until the request is answered; at once if places are free. */
  wait(request: OpenRequest<unknown>, turn: Turn<K>, start: () => void): void {
    const queue = this.#queues
      .getOrInsertComputed(request.network, () => new Map())
      .getOrInsertComputed(turn.kind, () => ({ taken: 0, waiting: [] }));
    const waiting = { request, turn, start };
    if (queue.waiting.length > 0 || !this.#take(queue, waiting)) queue.waiting.push(waiting);
    else start();
  }

  /** @returns false if too few places are free */
  #take(queue: Queue<K>, { request, turn: { kind, places, minPauseMs } }: Waiting<K>): boolean {
    const { atOnce, leastPauseMs, maxPauseMs } = this.#rules[kind];
    if (queue.taken + places > atOnce) return false;
    queue.taken += places;
    const takenAt = performance.now();
    request.onAnswer = () => {
      const release = () => {
        queue.taken -= places;
        this.#startWaiting(queue);
      };
      const tookMs = performance.now() - takenAt;
      const ownPauseMs = tookMs < minPauseMs ? 0 : Math.min(tookMs, maxPauseMs);
      const pauseMs = Math.max(ownPauseMs, leastPauseMs);
      if (pauseMs === 0) release();
      else setTimeout(release, pauseMs);
    };
    return true;
  }

  /** Starts waiting requests in the order of their arrival, as long as places are left. */
  #startWaiting(queue: Queue<K>): void {
    for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
      // A request that has timed out while it waited is only ended: its response is complete.
      if (next.request.state !== 'running') next.start();
      // In a later turn of the event loop: requests of other networks that have arrived meanwhile come first.
      else if (this.#take(queue, next)) setImmediate(next.start);
      else return;
      queue.waiting.shift();
    }
  }
}
