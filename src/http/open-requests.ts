/** The requests whose responses are not complete, for load shedding and for the request timeout. */
import type { FastifyInstance, FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** The index among the open requests; -1 for a request that was refused before it was counted. */
    openIndex: number;
    /** The time of arrival in ms of `performance.now`. */
    since: number;
    /** True for a stream, which stays open as long as its client listens. */
    isStream: boolean;
    /** Marks the response as a stream: it no longer counts as open, and has no timeout. */
    stayOpen(): void;
  }
}

/**
 * A list with reused indexes instead of a Map: a Map that grows and shrinks with every request retains its
 * old hash tables until a full garbage collection.
 */
export class OpenRequests implements Iterable<FastifyReply> {
  readonly #replies: (FastifyReply | null)[] = [];
  readonly #freeIndexes: number[] = [];

  get size(): number {
    return this.#replies.length - this.#freeIndexes.length;
  }

  add(reply: FastifyReply): void {
    reply.openIndex = this.#freeIndexes.pop() ?? this.#replies.length;
    this.#replies[reply.openIndex] = reply;
  }

  /** Does nothing for a request that is not in the list. */
  remove(reply: FastifyReply): void {
    if (reply.openIndex < 0 || this.#replies[reply.openIndex] !== reply) return;
    this.#replies[reply.openIndex] = null;
    this.#freeIndexes.push(reply.openIndex);
  }

  *[Symbol.iterator](): Generator<FastifyReply> {
    for (const reply of this.#replies) if (reply) yield reply;
  }
}

/** Counts requests as open from this hook until their response is complete. */
export function registerOpenRequests(app: FastifyInstance, open: OpenRequests): void {
  app.decorateReply('openIndex', -1);
  app.decorateReply('since', 0);
  app.decorateReply('isStream', false);
  app.decorateReply('stayOpen', function (this: FastifyReply) {
    this.isStream = true;
    open.remove(this);
  });
  app.addHook('onRequest', (_request, reply, done) => {
    reply.since = performance.now();
    open.add(reply);
    done();
  });
  app.addHook('onResponse', (_request, reply, done) => {
    open.remove(reply);
    done();
  });
}
