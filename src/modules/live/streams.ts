/** The open streams of one process: their limits and their heartbeats. */
import type { FastifyReply } from 'fastify';
import { largestNetworkOf, shareOf } from '#base';
import { streams as metrics } from '../../http/metrics.ts';
import { Problem } from '../../lib/errors.ts';
import type { LiveState } from './present.ts';
import { Stream } from './stream.ts';

/** The maximum number of streams of a server. */
const maxStreams = shareOf(5_000);
/**
 * The maximum numbers of streams of one person, of the callers without a token of one client network, and of
 * all callers of one client network. A network may be a household or the guests of a venue.
 */
const limits = { person: shareOf(20), anonymous: shareOf(200), network: shareOf(1_000) };
const checkIntervalMs = 1_000;

/** Who opens a stream. `caller`: null without a token; `address`: the IP address of the client. */
type StreamOwner = { caller: { id: string } | null; address: string };

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
   * @returns the function that releases the reservation; to be called once
   * @throws Problem `too_many_requests`, `unavailable`
   */
  reserve({ caller, address }: StreamOwner): () => void {
    const network = largestNetworkOf(address);
    const own = caller ? (['person', caller.id] as const) : (['anonymous', network] as const);
    const owners = [own, ['network', network] as const];
    for (const [kind, id] of owners) {
      if ((this.#reservations.get(`${kind} ${id}`) ?? 0) < limits[kind]) continue;
      const detail = `${limits[kind]} streams of this ${kind === 'person' ? 'caller' : 'address'} are open. Close one first.`;
      throw new Problem('too_many_requests', { detail, retryAfter: 5 });
    }
    if (this.#reserved >= maxStreams) {
      throw new Problem('unavailable', { detail: 'No more streams can be opened here.', retryAfter: 5 });
    }
    const keys = owners.map(([kind, id]) => `${kind} ${id}`);
    this.#reserved++;
    for (const key of keys) this.#reservations.set(key, (this.#reservations.get(key) ?? 0) + 1);
    return () => {
      this.#reserved--;
      for (const key of keys) this.#release(key);
    };
  }

  #release(key: string): void {
    const remaining = (this.#reservations.get(key) ?? 1) - 1;
    if (remaining > 0) this.#reservations.set(key, remaining);
    else this.#reservations.delete(key);
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
    const { socket } = reply.request.raw;
    const close = () => {
      // A connection that closes calls this twice.
      if (!this.#open.delete(stream)) return;
      socket.off('close', close);
      metrics.open.dec();
      onClose();
    };
    reply.raw.once('close', close);
    // Node emits no `close` for a response that waits behind another on its connection (pipelining).
    socket.once('close', close);
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
