import { Problem } from '../../lib/errors.ts';
import type { SendingWindow } from './repo.ts';

const minuteMs = 60_000;

/** Limits the messages of each sender in a minute, which begins with the sender's first message. */
export class MessageLimit {
  /** The windows in which messages were counted, by sender; they must be written back. */
  readonly changed = new Map<string, SendingWindow>();
  readonly #windows: Map<string, SendingWindow>;
  readonly #max: number;
  readonly #now: Date;

  /** @param max messages of a sender in a minute; 0: no limit */
  constructor(windows: SendingWindow[], max: number, now: Date) {
    this.#windows = new Map(windows.map((window) => [window.userId, window]));
    this.#max = max;
    this.#now = now;
  }

  /**
   * Counts a message.
   * @returns Problem `too_many_requests` if the limit is reached; then nothing is counted
   */
  count(userId: string): Problem | null {
    if (this.#max === 0) return null;
    const window = this.changed.get(userId) ?? this.#windows.get(userId);
    const leftMs = window ? window.since.getTime() + minuteMs - this.#now.getTime() : 0;
    const { since, sent } = window && leftMs > 0 ? window : { since: this.#now, sent: 0 };
    if (sent >= this.#max) return new Problem('too_many_requests', { retryAfter: Math.ceil(leftMs / 1000) });
    this.changed.set(userId, { userId, since, sent: sent + 1 });
    return null;
  }
}
