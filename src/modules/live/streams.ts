/** The open streams of one server: their limits, their heartbeats, and the streams that are too slow. */
import type { FastifyReply } from 'fastify';
import { streams as metrics } from '../../http/metrics.ts';
import { Problem } from '../../lib/errors.ts';
import type { LiveState } from './present.ts';
import { Stream } from './stream.ts';

/** Streams of a server, and of one person or, without a token, one IP address. */
const maxStreams = 5_000;
const maxStreamsPerOwner = 20;
const checkIntervalMs = 1_000;

export class Streams {
  readonly #clock: () => Date;
  readonly #open = new Set<Stream>();
  readonly #reservations = new Map<string, number>();
  #reserved = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(clock: () => Date) {
    this.#clock = clock;
    this.#timer = setInterval(() => this.#checkStreams(), checkIntervalMs).unref();
  }

  /**
   * Reserves a stream.
   * @param owner the id of the person, or the IP address of a caller without a token
   * @returns the function that releases the reservation; to be called once
   * @throws Problem `too_many_requests`, `unavailable`
   */
  reserve(owner: string): () => void {
    const count = this.#reservations.get(owner) ?? 0;
    if (count >= maxStreamsPerOwner) {
      const detail = `${maxStreamsPerOwner} streams of this caller are open. Close one first.`;
      throw new Problem('too_many_requests', { detail, retryAfter: 5 });
    }
    if (this.#reserved >= maxStreams) {
      throw new Problem('unavailable', { detail: 'No more streams can be opened here.', retryAfter: 5 });
    }
    this.#reserved++;
    this.#reservations.set(owner, count + 1);
    return () => {
      this.#reserved--;
      const remaining = (this.#reservations.get(owner) ?? 1) - 1;
      if (remaining > 0) this.#reservations.set(owner, remaining);
      else this.#reservations.delete(owner);
    };
  }

  /**
   * Responds with a stream that begins with `state`.
   * @param lastId the id of the last message that the client received; the stream then skips an unchanged
   *   state
   */
  open(reply: FastifyReply, state: LiveState, lastId: string | undefined, onClose: () => void): Stream {
    const stream = new Stream(reply, this.#clock);
    this.#open.add(stream);
    metrics.open.inc();
    reply.raw.once('close', () => {
      this.#open.delete(stream);
      metrics.open.dec();
      onClose();
    });
    stream.open(state, lastId);
    return stream;
  }

  /** Stops the checks. The hub ends the streams. */
  close(): void {
    clearInterval(this.#timer);
  }

  #checkStreams(): void {
    const now = this.#clock().getTime();
    for (const stream of this.#open) stream.check(now);
  }
}
