/**
 * Turns: the handlers of one client network run few at a time; its further requests wait, in the order of their arrival.
 * So a client that sends many expensive requests at once delays its own requests and hardly those of others. Without it,
 * all of them would be ahead of the next request of anyone else, in the event loop and at the database.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { NetworkLoad, OpenRequests } from './open-requests.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Whether the handler of the request may run, or has run. */
    hasTurn: boolean;
  }
}

/** Fewer than the database's connections for transactions (db/client.ts), so that one network cannot occupy all. */
const maxRunning = 4;

type Waiting = { reply: FastifyReply; start: () => void };

/**
 * Must be registered after the hook that counts requests as open. The number of waiting requests is bounded by the places
 * of the network (load-shedding.ts); a request that waits until its timeout gets a 503 (request-timeout.ts).
 */
export function registerTurns(app: FastifyInstance, open: OpenRequests): void {
  const queues = new Map<NetworkLoad, { running: number; waiting: Waiting[] }>();
  app.decorateReply('hasTurn', false);

  // After the body was received: a slow upload does not hold up the other requests of its network.
  app.addHook('preValidation', (_request, reply, done) => {
    const { network } = reply;
    // A page waits for its own requests, which take turns.
    if (!network || reply.isAnswered || reply.routeOptions.config.isPage) return done();
    const queue = queues.get(network) ?? { running: 0, waiting: [] };
    queues.set(network, queue);
    if (queue.running >= maxRunning) {
      queue.waiting.push({ reply, start: done });
      return;
    }
    queue.running++;
    reply.hasTurn = true;
    done();
  });

  open.onAnswer((reply, network) => {
    if (!reply.hasTurn) return;
    reply.hasTurn = false;
    const queue = queues.get(network);
    if (!queue) return;
    queue.running--;
    let next = queue.waiting.shift();
    while (next?.reply.isAnswered) {
      // It has timed out while it waited. Fastify ends a request whose response is complete before its handler.
      next.start();
      next = queue.waiting.shift();
    }
    if (next) {
      queue.running++;
      next.reply.hasTurn = true;
      // In a later turn of the event loop: requests of other networks that have arrived meanwhile come first.
      setImmediate(next.start);
    } else if (queue.running === 0) {
      queues.delete(network);
    }
  });
}
