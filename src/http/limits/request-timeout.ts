/**
 * The request timeout: a request whose handler does not respond in time gets a 503, for example if the
 * database is frozen. The time that the client takes to read the response does not count. One timer checks all requests; Fastify's `handlerTimeout` would create a timer and an abort signal
 * for each request.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../../lib/errors.ts';
import type { OpenRequests } from './open-requests.ts';

/** With the interval of the check, and on a busy machine, a response is sent within five seconds. */
export const defaultTimeoutMs = 4_500;
const checkIntervalMs = 250;

export function registerRequestTimeout(app: FastifyInstance, open: OpenRequests): void {
  const timer = setInterval(() => {
    const now = performance.now();
    for (const reply of open) {
      if (reply.isAnswered) continue;
      const elapsed = now - reply.since;
      if (elapsed < defaultTimeoutMs) continue;
      if (elapsed < (reply.routeOptions.config.limits?.timeoutMs ?? defaultTimeoutMs)) continue;
      open.answer(reply);
      timeOut(reply);
    }
  }, checkIntervalMs);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

function timeOut(reply: FastifyReply): void {
  // The connection of a client that has not sent its whole body is closed.
  if (!reply.request.raw.complete && !reply.raw.headersSent) reply.header('connection', 'close');
  if (reply.raw.headersSent) reply.raw.destroy();
  else if (!reply.sent) reply.send(new Problem('unavailable'));
}
