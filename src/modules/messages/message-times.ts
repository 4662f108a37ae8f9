import { keyOfPair, type Pair } from '../users/relation-locks.ts';

/**
 * Assigns increasing times to the messages of each pair: the current time, or one millisecond after the last
 * message if that is later. Several messages may arrive in a millisecond, and the clocks of servers differ.
 */
export class MessageTimes {
  readonly #last: Map<string, number>;
  readonly #now: number;

  /** @param lastMessages the time of the last message of each pair that has messages */
  constructor(lastMessages: (Pair & { at: Date })[], now: Date) {
    this.#last = new Map(lastMessages.map(({ at, ...pair }) => [keyOfPair(pair), at.getTime()]));
    this.#now = now.getTime();
  }

  /** The time of the next message of the pair with this key. */
  next(pairKey: string): Date {
    const at = Math.max(this.#now, (this.#last.get(pairKey) ?? 0) + 1);
    this.#last.set(pairKey, at);
    return new Date(at);
  }
}
