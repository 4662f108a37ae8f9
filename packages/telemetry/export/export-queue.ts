/** Spans or log records that wait to be sent. Its memory is bounded: what finds no place is lost, and counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './post.ts';

export const maxQueued = 8_192;
/** Encoding more of them at once would delay requests by milliseconds. */
const maxBatch = 512;
const everyMs = 1_000;
const [firstPauseMs, maxPauseMs] = [1_000, 60_000];

export class ExportQueue<T> {
  readonly #send: (items: T[]) => Promise<Outcome>;
  readonly #lose: (count: number, reason: string) => void;
  readonly #timer: NodeJS.Timeout;
  #items: T[] = [];
  #sending: Promise<void> | null = null;
  #failures = 0;
  #pausedUntil = 0;

  constructor(send: (items: T[]) => Promise<Outcome>, lose: (count: number, reason: string) => void) {
    this.#send = send;
    this.#lose = lose;
    this.#timer = setInterval(() => this.#start(), everyMs).unref();
  }

  add(item: T): void {
    if (this.#items.length < maxQueued) this.#items.push(item);
    else this.#lose(1, 'the collector is too slow');
    if (this.#items.length >= maxBatch) this.#start();
  }

  /** Sends what waits, in a limited time. */
  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([this.#sendRest(), sleep(timeoutMs, undefined, { ref: false })]);
    if (this.#items.length > 0) this.#lose(this.#items.length, 'the server has ended');
    this.#items = [];
  }

  async #sendRest(): Promise<void> {
    await this.#sending;
    this.#pausedUntil = 0;
    this.#start();
    await this.#sending;
  }

  #start(): void {
    if (this.#items.length === 0 || this.#sending || performance.now() < this.#pausedUntil) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#items.length > 0) {
      const batch = this.#items.slice(0, maxBatch);
      const { lost, reason, retryAfterMs } = await this.#send(batch);
      if (retryAfterMs !== undefined) {
        const pauseMs = Math.min(firstPauseMs * 2 ** this.#failures++, maxPauseMs);
        this.#pausedUntil = performance.now() + Math.max(pauseMs, retryAfterMs);
        return this.#lose(0, reason);
      }
      this.#failures = 0;
      this.#items.splice(0, batch.length);
      if (lost > 0) this.#lose(Math.min(lost, batch.length), reason);
    }
  }
}
