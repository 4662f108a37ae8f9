/** One stream of server-sent events on one connection. */
import type { FastifyReply } from 'fastify';
import { pieceLength } from '../../http/bodies.ts';
import type { Caller } from '../../identity/caller.ts';
import type { ProblemCode } from '../../lib/problem-catalogue.ts';
import { goneMessage, heartbeat, type LiveState, retryHint, snapshotMessage } from './present.ts';

/** Proxies close connections that are silent for a minute. */
const heartbeatIntervalMs = 15_000;
/**
 * In bytes that the client has not read. Above that the stream sends no changes, and later the newest
 * snapshot. A client that reads nothing loses its connection (http/admission.ts).
 */
const maxBuffered = 64 * 1024;
/** The time that a client has to read the last message. */
const closeTimeoutMs = 1_000;

export const mediaType = 'text/event-stream; charset=utf-8';

export class Stream {
  readonly caller: Caller | null;
  readonly #reply: FastifyReply;
  readonly #clock: () => Date;
  #wroteAt = 0;
  /** The rest of a large message, whose next piece is sent when the connection has taken the one before. */
  #unsent: Buffer = Buffer.alloc(0);
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
    reply.raw.on('drain', () => this.#continue());
    reply.raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': mediaType,
      'x-accel-buffering': 'no',
    });
    const first = lastId === state.id ? Buffer.from(heartbeat) : snapshotMessage(state);
    this.#write(Buffer.concat([Buffer.from(retryHint()), first]));
  }

  /** @param messages the messages that lead from the previous state to `state` */
  send(state: LiveState, messages: Buffer): void {
    const isBehind = this.#isBehind() || this.#reply.raw.writableLength > maxBuffered;
    if (isBehind) this.#backlog = state;
    else this.#write(messages);
  }

  /** Ends the stream. @param code the problem that a new request would get; null if the server closes */
  end(code: ProblemCode | null): void {
    const { raw } = this.#reply;
    if (this.#unsent.length > 0) raw.write(this.#unsent);
    this.#unsent = Buffer.alloc(0);
    raw.end(code ? goneMessage(code) : undefined);
    const timer = setTimeout(() => raw.destroy(), closeTimeoutMs).unref();
    raw.once('close', () => clearTimeout(timer));
  }

  /** Sends a heartbeat if one is due. @param now in ms */
  check(now: number): void {
    const isDue = Math.abs(now - this.#wroteAt) >= heartbeatIntervalMs;
    if (isDue && !this.#isBehind()) this.#write(Buffer.from(heartbeat));
  }

  #isBehind(): boolean {
    return this.#backlog !== null || this.#unsent.length > 0;
  }

  /** Sends the rest of the last message, or the newest snapshot, if the client has not been sent it. */
  #continue(): void {
    const mayContinue = this.#sendPieces();
    if (!mayContinue || !this.#backlog) return;
    const state = this.#backlog;
    this.#backlog = null;
    this.#write(snapshotMessage(state));
  }

  #write(messages: Buffer): void {
    this.#wroteAt = this.#clock().getTime();
    this.#unsent = messages;
    this.#sendPieces();
  }

  /** Returns whether the connection has taken all of them; otherwise `drain` follows. */
  #sendPieces(): boolean {
    let mayContinue = true;
    while (mayContinue && this.#unsent.length > 0) {
      const piece = this.#unsent.subarray(0, pieceLength);
      this.#unsent = this.#unsent.subarray(piece.length);
      mayContinue = this.#reply.raw.write(piece);
    }
    return mayContinue;
  }
}
