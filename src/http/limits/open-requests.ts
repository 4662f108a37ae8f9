/**
 * The requests of a server that are not complete (admission.ts). A request has two phases. Until its handler has responded it holds one of the server's
 * places. After that it waits for its client to read the response, which may take long and holds no place.
 */
import type { FastifyReply } from 'fastify';
import { largestNetworkOf } from '#base';

/** What the requests of one client network, the largest one of an address, hold. */
export type NetworkLoad = {
  /** Requests in either phase. */
  requests: number;
  /** Requests whose handler has not responded. */
  places: number;
  /** Responses that clients are slow to read (admission.ts), streams excepted. */
  unread: number;
};

declare module 'fastify' {
  interface FastifyReply {
    /** The index among the open requests; -1 for a request that is not among them. */
    openIndex: number;
    /** The time of arrival in ms of `performance.now`. */
    since: number;
    /** True for a stream, which stays open as long as its client listens. */
    isStream: boolean;
    /** Whether the handler has responded. The request then has no place and no timeout. */
    isAnswered: boolean;
    /** The counts of the client's network; null for a request that is not open. */
    network: NetworkLoad | null;
    /** How the client reads the response; null until admission.ts sees the response. */
    delivery: Delivery | null;
    /** Marks the response as a stream: it no longer holds a place, and has no timeout. */
    stayOpen(): void;
  }
}

export type Delivery = {
  /** A number that changes whenever the connection sends bytes. */
  progress: number;
  /** The time at which the last change of `progress` was seen, in ms of `performance.now`. */
  since: number;
  /** Whether the response counts in `NetworkLoad.unread`. */
  isUnread: boolean;
};

/** Networks in memory above which those without requests are removed. */
const maxIdleNetworks = 1_000;

/**
 * A list with reused indexes instead of a Map: a Map that grows and shrinks with every request retains its
 * old hash tables until a full garbage collection. For the same reason, the counts of a network remain after
 * its last request, until many networks have none.
 */
export class OpenRequests implements Iterable<FastifyReply> {
  readonly #replies: (FastifyReply | null)[] = [];
  readonly #freeIndexes: number[] = [];
  #networks = new Map<string, NetworkLoad>();
  #places = 0;
  #unread = 0;
  readonly #answerListeners: ((reply: FastifyReply, network: NetworkLoad) => void)[] = [];

  /** The number of requests whose handler has not responded. */
  get places(): number {
    return this.#places;
  }

  /** The number of requests in either phase. */
  get count(): number {
    return this.#replies.length - this.#freeIndexes.length;
  }

  /** The number of responses that clients are slow to read, streams excepted. */
  get unread(): number {
    return this.#unread;
  }

  /** The counts of the largest network of an address. */
  loadOf(address: string): NetworkLoad {
    return this.#networks.getOrInsertComputed(largestNetworkOf(address), () => ({
      requests: 0,
      places: 0,
      unread: 0,
    }));
  }

  add(reply: FastifyReply, load: NetworkLoad): void {
    reply.openIndex = this.#freeIndexes.pop() ?? this.#replies.length;
    this.#replies[reply.openIndex] = reply;
    reply.network = load;
    load.requests++;
    load.places++;
    this.#places++;
  }

  /** Releases the place of a request whose handler has responded. May be called repeatedly. */
  answer(reply: FastifyReply): void {
    const { network } = reply;
    if (!network || reply.isAnswered) return;
    reply.isAnswered = true;
    network.places--;
    this.#places--;
    for (const listener of this.#answerListeners) listener(reply, network);
  }

  /** Calls `listener` when the handler of a request has responded, or its request has timed out. */
  onAnswer(listener: (reply: FastifyReply, network: NetworkLoad) => void): void {
    this.#answerListeners.push(listener);
  }

  /** Removes a request that is complete. May be called repeatedly. */
  remove(reply: FastifyReply): void {
    const { network } = reply;
    if (!network) return;
    this.answer(reply);
    network.requests--;
    if (reply.delivery?.isUnread) {
      network.unread--;
      this.#unread--;
    }
    reply.network = null;
    this.#replies[reply.openIndex] = null;
    this.#freeIndexes.push(reply.openIndex);
    reply.openIndex = -1;
  }

  /** Counts a response as unread until the request is removed. May be called repeatedly. */
  countUnread({ delivery, network }: FastifyReply): void {
    if (!network || !delivery || delivery.isUnread) return;
    delivery.isUnread = true;
    network.unread++;
    this.#unread++;
  }

  /** Removes the counts of networks without requests, if there are many. */
  forgetIdleNetworks(): void {
    if (this.#networks.size <= maxIdleNetworks) return;
    this.#networks = new Map([...this.#networks].filter(([, { requests }]) => requests > 0));
  }

  *[Symbol.iterator](): Generator<FastifyReply> {
    for (const reply of this.#replies) if (reply) yield reply;
  }
}
