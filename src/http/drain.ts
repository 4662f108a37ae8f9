/**
 * The end of a server: it responds to every request that it has begun to read. A request that reaches the machine while the
 * server closes the connection is lost, and a proxy does not repeat a POST then. So responses close their connections
 * with `Connection: close`, and the server closes idle ones only after clients had time to use them once more.
 */
import { once } from 'node:events';
import { Server as TcpServer } from 'node:net';
import { setImmediate as endOfPoll } from 'node:timers/promises';
import type { App } from './app.ts';
import type { OpenRequests } from './open-requests.ts';

/** In this time, a proxy under load uses each of its idle connections and gets `Connection: close`. */
const graceMs = 500;
const checkIntervalMs = 25;

/** Must be registered after the modules: their hooks end live streams, for which `drain` would wait. */
export async function registerDrain(app: App, open: OpenRequests): Promise<void> {
  // The hooks of scopes run after those of the app, in the order of registration.
  await app.register(async (scope) => {
    scope.addHook('preClose', () => drain(app.server, open));
  });
}

/**
 * Stops listening, and resolves when the last connection has closed. Sockets are closed right after the event loop has
 * polled them: the fewest connections and requests have then reached the machine and not the server.
 */
async function drain(server: App['server'], open: OpenRequests): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  await endOfPoll();
  // The method of `http.Server` closes idle connections, too.
  TcpServer.prototype.close.call(server);
  // For requests that arrive from now on, Fastify does this.
  for (const { raw } of open) raw.shouldKeepAlive = false;
  const graceEnd = performance.now() + graceMs;
  const timer = setInterval(async () => {
    await endOfPoll();
    // Node.js counts a connection as idle although its client has not read all of a response.
    if (performance.now() >= graceEnd && open.count === 0) server.closeIdleConnections();
  }, checkIntervalMs);
  await closed;
  clearInterval(timer);
}
