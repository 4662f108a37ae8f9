/** The open streams of one server as connections: how many there may be, what keeps them open, and how they end. */
import type { FastifyReply } from 'fastify';
import { streams as metrics } from '../../http/metrics.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem, type ProblemCode } from '../../lib/errors.ts';
import type { Listener } from './hub.ts';
import { goneMessage, heartbeat, type LiveState, retryHint, snapshotMessage } from './present.ts';

/** Streams on a server, and of one person or, without a token, one address. */
const maxStreams = 5_000;
const maxEach = 20;
/** In ms. Proxies close what is silent for a minute. */
const heartbeatEvery = 15_000;
/** In ms. Whoever has taken nothing for so long is not there any more. */
const maxBehind = 15_000;
const sweepEvery = 1_000;
/** In bytes that a listener has not taken yet; above that they are told the newest state once they have. */
const maxBuffered = 64 * 1024;
/** In ms, for last words to be taken. */
const lastWordsMs = 1_000;

export const mediaType = 'text/event-stream; charset=utf-8';

export class Streams {
  readonly #clock: () => Date;
  readonly #open = new Set<Stream>();
  readonly #seats = new Map<string, number>();
  #taken = 0;
  #timer: NodeJS.Timeout;

  constructor(clock: () => Date) {
    this.#clock = clock;
    this.#timer = setInterval(() => this.#sweep(), sweepEvery).unref();
  }

  /**
   * Takes a seat, to be given back once.
   * @throws Problem `too_many_requests`, `unavailable`
   */
  take(who: string): () => void {
    const own = this.#seats.get(who) ?? 0;
    if (own >= maxEach) {
      const detail = `${maxEach} streams of this caller are open. Close one first.`;
      throw new Problem('too_many_requests', { detail, retryAfter: 5 });
    }
    if (this.#taken >= maxStreams) {
      throw new Problem('unavailable', { detail: 'No more streams can be opened here.', retryAfter: 5 });
    }
    this.#taken++;
    this.#seats.set(who, own + 1);
    return () => {
      this.#taken--;
      const left = (this.#seats.get(who) ?? 1) - 1;
      if (left > 0) this.#seats.set(who, left);
      else this.#seats.delete(who);
    };
  }

  /** Answers with a stream that begins at this state. @param lastId what the client has already */
  begin(reply: FastifyReply, state: LiveState, lastId: string | undefined, onClose: () => void): Stream {
    const stream = new Stream(reply, this.#clock);
    this.#open.add(stream);
    metrics.open.inc();
    reply.raw.once('close', () => {
      this.#open.delete(stream);
      metrics.open.dec();
      onClose();
    });
    stream.begin(state, lastId);
    return stream;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = this.#clock().getTime();
    for (const stream of this.#open) stream.createRecordCache(now);
  }
}

class Stream implements Listener {
  readonly caller: Caller | null;
  readonly #reply: FastifyReply;
  readonly #clock: () => Date;
  #wroteAt = 0;
  /** What is still to be told, and since when, in ms. */
  #behind: { since: number; state: LiveState } | null = null;

  constructor(reply: FastifyReply, clock: () => Date) {
    this.caller = reply.request.caller;
    this.#reply = reply;
    this.#clock = clock;
  }

  begin(state: LiveState, lastId: string | undefined): void {
    const reply = this.#reply;
    reply.stayOpen();
    // Fastify writes no headers from here on, so those that it has are taken along.
    reply.hijack();
    reply.raw.on('error', () => {});
    reply.raw.on('drain', () => this.#catchUp());
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': mediaType,
      'x-accel-buffering': 'no',
    });
    reply.raw.cork();
    reply.raw.write(retryHint());
    this.#write(lastId === state.id ? heartbeat : snapshotMessage(state));
    reply.raw.uncork();
  }

  tell(state: LiveState, messages: Buffer): void {
    if (this.#behind) this.#behind.state = state;
    else if (this.#reply.raw.writableLength <= maxBuffered) this.#write(messages);
    else this.#behind = { since: this.#clock().getTime(), state };
  }

  end(code: ProblemCode | null): void {
    const { raw } = this.#reply;
    raw.end(code ? goneMessage(code) : undefined);
    const timer = setTimeout(() => raw.destroy(), lastWordsMs).unref();
    raw.once('close', () => clearTimeout(timer));
  }

  /** Called now and then. @param now in ms */
  createRecordCache(now: number): void {
    if (this.#behind) {
      if (Math.abs(now - this.#behind.since) < maxBehind) return;
      metrics.dropped.inc();
      this.#reply.raw.destroy();
    } else if (Math.abs(now - this.#wroteAt) >= heartbeatEvery) this.#write(heartbeat);
  }

  #catchUp(): void {
    if (!this.#behind) return;
    const { state } = this.#behind;
    this.#behind = null;
    this.#write(snapshotMessage(state));
  }

  #write(messages: Buffer | string): void {
    this.#wroteAt = this.#clock().getTime();
    this.#reply.raw.write(messages);
  }
}
