/**
 * Turns: the handlers of one client network run few at a time; its further requests wait, in the order of their arrival.
 * So a client that sends many expensive requests at once delays its own requests and hardly those of others. Without it,
 * all of them would be ahead of the next request of anyone else, in the event loop and at the database. A handler that needs
 * some milliseconds of the event loop runs alone (`runsAlone`). After each handler, its place stays empty for as long as it
 * took: a network with many requests leaves half of the time to others.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { NetworkLoad, OpenRequests } from './open-requests.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** The turns that the request holds: the place of its handler among those of its network. */
    turns: number;
    /** When the handler was started, in ms of `performance.now()`. */
    turnsTakenAt: number;
  }
  interface FastifyContextConfig {
    runsAlone?: true;
  }
}

/** Fewer than the database's connections for transactions (db/client.ts), so that one network cannot occupy all. */
const maxTurns = 4;

/** The longest pause; after a handler that took less than the shortest one, there is none. */
const [minPauseMs, maxPauseMs] = [3, 50];

type Waiting = { reply: FastifyReply; start: () => void };
type Queue = { taken: number; waiting: Waiting[] };

const turnsOf = (reply: FastifyReply): number => (reply.routeOptions.config.runsAlone ? maxTurns : 1);

/**
 * Must be registered after the hook that counts requests as open. The number of waiting requests is bounded by the places
 * of the network (load-shedding.ts); a request that waits until its timeout gets a 503 (request-timeout.ts).
 */
export function registerTurns(app: FastifyInstance, open: OpenRequests): void {
  const queues = new Map<NetworkLoad, Queue>();
  app.decorateReply('turns', 0);
  app.decorateReply('turnsTakenAt', 0);

  // After the body was received: a slow upload does not hold up the other requests of its network.
  app.addHook('preValidation', (_request, reply, done) => {
    const { network } = reply;
    // A page waits for its own requests, which take turns.
    if (!network || reply.isAnswered || reply.routeOptions.config.isPage) return done();
    const queue = queues.get(network) ?? { taken: 0, waiting: [] };
    queues.set(network, queue);
    if (queue.waiting.length > 0 || !takeTurns(queue, reply)) queue.waiting.push({ reply, start: done });
    else done();
  });

  open.onAnswer((reply, network) => {
    const queue = queues.get(network);
    if (reply.turns === 0 || !queue) return;
    const release = () => {
      queue.taken -= reply.turns;
      startWaiting(queue);
      if (queue.taken === 0) queues.delete(network);
    };
    const tookMs = performance.now() - reply.turnsTakenAt;
    if (tookMs < minPauseMs) release();
    else setTimeout(release, Math.min(tookMs, maxPauseMs));
  });
}

/** @returns false if too few turns are left */
function takeTurns(queue: Queue, reply: FastifyReply): boolean {
  const turns = turnsOf(reply);
  if (queue.taken + turns > maxTurns) return false;
  queue.taken += turns;
  reply.turns = turns;
  reply.turnsTakenAt = performance.now();
  return true;
}

/** Starts waiting requests in the order of their arrival, as long as turns are left. */
function startWaiting(queue: Queue): void {
  for (let next = queue.waiting[0]; next; next = queue.waiting[0]) {
    if (next.reply.isAnswered) {
      // It has timed out while it waited. Fastify ends a request whose response is complete before its handler.
      next.start();
    } else if (takeTurns(queue, next.reply)) {
      // In a later turn of the event loop: requests of other networks that have arrived meanwhile come first.
      setImmediate(next.start);
    } else {
      return;
    }
    queue.waiting.shift();
  }
}
