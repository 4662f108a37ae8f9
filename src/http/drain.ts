/**
 * The end of a server: it responds to every request that it has begun to read. A request that reaches the machine while the
 * server closes the connection is lost, and a proxy does not repeat a POST then. So responses close their connections
 * with `Connection: close`, and the server closes idle ones only after clients had time to use them once more.
 */
import { setImmediate as endOfPoll, setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { FastifyReply } from 'fastify';
import type { OpenRequests } from '#admission';
import { closeAfter, stopAccepting } from '#patches';
import type { App } from './app.ts';

/** In this time, a proxy under load uses each of its idle connections and gets `Connection: close`. */
const graceMs = 500;
const checkIntervalMs = 25;
const maxAcceptMs = 2_000;
const shortTurnMs = 1;

/** Must be registered after the modules: their hooks end live streams, for which `drain` would wait. */
export async function registerDrain(app: App, open: OpenRequests<FastifyReply>): Promise<void> {
  // The hooks of scopes run after those of the app, in the order of registration.
  await app.register(async (scope) => {
    scope.addHook('preClose', () => drain(app.server, open));
  });
}

/**
 * Stops listening. Connections that clients have opened and the server has not accepted are reset then, so it accepts
 * them first. Before `app.close()`: after that, each response closes its connection, and clients open many new ones.
 */
export async function stopListening(server: App['server']): Promise<void> {
  if (!server.listening) return;
  let hasAccepted = false;
  const accept = () => {
    hasAccepted = true;
  };
  server.on('connection', accept);
  const acceptEnd = performance.now() + maxAcceptMs;
  // The rest of the present turn of the event loop; the listener has not seen all that it has accepted.
  await endOfPoll();
  // Node.js accepts one connection in each turn, so none waited in a turn without one. After a short turn, it is unlikely
  // that one has come since.
  let turnMs = 0;
  do {
    hasAccepted = false;
    const since = performance.now();
    await endOfPoll();
    turnMs = performance.now() - since;
  } while ((hasAccepted || turnMs > shortTurnMs) && performance.now() < acceptEnd);
  server.off('connection', accept);
  stopAccepting(server);
}

/** Resolves when the last connection has closed. */
async function drain(server: App['server'], open: OpenRequests<FastifyReply>): Promise<void> {
  await stopListening(server);
  // For requests that arrive from now on, Fastify does this.
  for (const { of: reply } of open) closeAfter(reply.raw);
  const graceEnd = performance.now() + graceMs;
  const countConnections = promisify(server.getConnections).bind(server);
  while ((await countConnections()) > 0) {
    await sleep(checkIntervalMs);
    // Right after the event loop has read from all sockets, the fewest requests have arrived unread.
    await endOfPoll();
    // Node.js counts a connection as idle although its client has not read all of a response.
    if (performance.now() >= graceEnd && open.count === 0) server.closeIdleConnections();
  }
}
