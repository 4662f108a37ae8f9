/**
 * Turns: the handlers of one client network run few at a time; its further requests wait, in the order of their arrival.
 * So a client that sends many expensive requests at once delays its own requests and hardly those of others. Without it,
 * all of them would be ahead of the next request of anyone else, in the event loop and at the database. Handlers that need
 * much of a processor core run one at a time, beside the others: heavy reads (long lists), pages, documents (calendars, that of
 * the API), and transfers, which may take minutes. A request with a long body takes several places.
 * After each handler, its place stays empty for as long as it took: a network with many requests leaves half of the time
 * to others.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shareOf } from '#base';
import { isPageCall } from '../page-calls.ts';
import type { NetworkLoad, OpenRequests } from './open-requests.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The place of the request's handler among those of its network; null before it has one. */
    turn: Turn | null;
  }
}

export type TurnKind = 'light' | 'heavy' | 'page' | 'transfer' | 'document';
/** `takenAt`: in ms of `performance.now()`. `minPauseMs`: after a shorter turn, the pause is the least one. */
type Turn = { kind: TurnKind; places: number; takenAt: number; minPauseMs: number };
/** `minPauseMs` is read when the request arrives: its turn may be taken in the context of another one. */
type Waiting = { reply: FastifyReply; minPauseMs: number; start: () => void };
/** `taken`: the number of places. */
type Queue = { taken: number; waiting: Waiting[] };

/**
 * `atOnce`: together fewer than the database's connections for transactions (packages/pg/client.ts), so that one network cannot occupy
 * all; heavy reads use none, and the requests of pages to the API take turns of their own. `leastPauseMs`, `maxPauseMs`: of the
 * pause after a turn. Handing over a document takes no time, but sending it does: a megabyte, if the client decodes nothing.
 */
const limits: Record<TurnKind, { atOnce: number; leastPauseMs: number; maxPauseMs: number }> = {
  light: { atOnce: shareOf(4), leastPauseMs: 0, maxPauseMs: 50 },
  heavy: { atOnce: 1, leastPauseMs: 0, maxPauseMs: 50 },
  page: { atOnce: 1, leastPauseMs: 0, maxPauseMs: 500 },
  transfer: { atOnce: 1, leastPauseMs: 0, maxPauseMs: 500 },
  document: { atOnce: 1, leastPauseMs: 20, maxPauseMs: 500 },
};

/** In bytes. Reading and validating a longer body takes more of a processor core than most handlers. */
const longBody = 50_000;

function hasLongBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > longBody;
}

/** The rate limit bounds short handlers. It does not count the requests of pages, and a long body costs more than its handler. */
const minPauseMs = ({ request }: FastifyReply): number => (isPageCall() || hasLongBody(request) ? 0 : 3);

/** One request with a long body runs at a time, beside one other handler. It may use a connection for transactions, so it has no queue of its own. */
const placesOf = ({ request }: FastifyReply, { atOnce }: { atOnce: number }): number =>
  hasLongBody(request) ? Math.max(atOnce - 1, 1) : 1;

const kindOf = (reply: FastifyReply): TurnKind => reply.routeOptions.config.limits?.turns ?? 'light';

/**
 * Must be registered before validation, which reads bodies in the turn of their request. The number of waiting requests is
 * bounded by the places of the network, and a request that waits until its timeout gets a 503 (admission.ts).
 * @param open the requests that the admission counts before
 */
export function registerTurns(app: FastifyInstance, open: OpenRequests): void {
  const queues = new WeakMap<NetworkLoad, Map<TurnKind, Queue>>();
  const queueOf = (network: NetworkLoad, kind: TurnKind): Queue =>
    queues
      .getOrInsertComputed(network, () => new Map())
      .getOrInsertComputed(kind, () => ({ taken: 0, waiting: [] }));
  app.decorateReply('turn', null);

  // After the body was received: a slow upload does not hold up the other requests of its network.
  app.addHook('preValidation', (_request, reply, done) => {
    const { network } = reply;
    if (!network || reply.isAnswered) return done();
    const queue = queueOf(network, kindOf(reply));
    const waiting = { reply, minPauseMs: minPauseMs(reply), start: done };
    if (queue.waiting.length > 0 || !takeTurn(queue, waiting)) queue.waiting.push(waiting);
    else done();
  });

  open.onAnswer(({ turn }, network) => {
    if (!turn) return;
    const queue = queueOf(network, turn.kind);
    const release = () => {
      queue.taken -= turn.places;
      startWaiting(queue);
    };
    const tookMs = performance.now() - turn.takenAt;
    const { leastPauseMs, maxPauseMs } = limits[turn.kind];
    const ownPauseMs = tookMs < turn.minPauseMs ? 0 : Math.min(tookMs, maxPauseMs);
    const pauseMs = Math.max(ownPauseMs, leastPauseMs);
    if (pauseMs === 0) release();
    else setTimeout(release, pauseMs);
  });
}

/** @returns false if all turns are taken */
function takeTurn(queue: Queue, { reply, minPauseMs }: Waiting): boolean {
  const kind = kindOf(reply);
  const places = placesOf(reply, limits[kind]);
  if (queue.taken + places > limits[kind].atOnce) return false;
  queue.taken += places;
  reply.turn = { kind, places, takenAt: performance.now(), minPauseMs };
  return true;
}

/** Starts waiting requests in the order of their arrival, as long as turns are left. */
function startWaiting(queue: Queue): void {
  for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
    if (next.reply.isAnswered) {
      // It has timed out while it waited. Fastify ends a request whose response is complete before its handler.
      next.start();
    } else if (takeTurn(queue, next)) {
      // In a later turn of the event loop: requests of other networks that have arrived meanwhile come first.
      setImmediate(next.start);
    } else {
      return;
    }
    queue.waiting.shift();
  }
}
