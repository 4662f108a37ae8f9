/** One stream of server-sent events on one connection. */
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../identity/caller.ts';
import type { ProblemCode } from '../../lib/errors.ts';
import { goneMessage, heartbeat, type LiveState, retryHint, snapshotMessage } from './present.ts';
import type { Subscriber } from './topics.ts';

/** Proxies close connections that are silent for a minute. */
const heartbeatIntervalMs = 15_000;
/**
 * In bytes that the client has not read. Above that the stream sends no changes, and later the newest
 * snapshot. A client that reads nothing loses its connection (http/unread-responses.ts).
 */
const maxBuffered = 64 * 1024;
/** The time that a client has to read the last message. */
const closeTimeoutMs = 1_000;

export const mediaType = 'text/event-stream; charset=utf-8';

export class Stream implements Subscriber {
  readonly caller: Caller | null;
  readonly #reply: FastifyReply;
  readonly #clock: () => Date;
  #wroteAt = 0;
  /** The newest state, if the client has not been sent it. */
  #backlog: LiveState | null = null;

  constructor(reply: FastifyReply, clock: () => Date) {
    this.caller = reply.request.caller;
    this.#reply = reply;
    this.#clock = clock;
  }

  open(state: LiveState, lastId: string | undefined): void {
    const reply = this.#reply;
    reply.stayOpen();
    // Fastify writes no headers after hijack(), so writeHead includes the headers of the reply.
    reply.hijack();
    reply.raw.on('error', () => {});
    reply.raw.on('drain', () => this.#sendBacklog());
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

  send(state: LiveState, messages: Buffer): void {
    if (!this.#backlog && this.#reply.raw.writableLength <= maxBuffered) this.#write(messages);
    else this.#backlog = state;
  }

  end(code: ProblemCode | null): void {
    const { raw } = this.#reply;
    raw.end(code ? goneMessage(code) : undefined);
    const timer = setTimeout(() => raw.destroy(), closeTimeoutMs).unref();
    raw.once('close', () => clearTimeout(timer));
  }

  /** Sends a heartbeat if one is due. @param now in ms */
  check(now: number): void {
    if (!this.#backlog && Math.abs(now - this.#wroteAt) >= heartbeatIntervalMs) this.#write(heartbeat);
  }

  #sendBacklog(): void {
    if (!this.#backlog) return;
    const state = this.#backlog;
    this.#backlog = null;
    this.#write(snapshotMessage(state));
  }

  #write(messages: Buffer | string): void {
    this.#wroteAt = this.#clock().getTime();
    this.#reply.raw.write(messages);
  }
}
