/** The access log: one line for each request, if `LOG_REQUESTS=on`. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { idsOf } from '#telemetry';
import type { Config } from '../config/config.ts';
import { loggedPath } from './logging.ts';

export function registerAccessLog(app: FastifyInstance, { logRequests }: Pick<Config, 'logRequests'>): void {
  if (!logRequests) return;
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now();
    // The address must be read while the socket is open. `close` also comes after requests that the client
    // gave up.
    const { ip } = request;
    reply.raw.once('close', () => {
      const isComplete = reply.raw.writableFinished;
      const fields = {
        reqId: request.id,
        method: request.method,
        path: pathOf(request),
        status: reply.raw.headersSent ? reply.raw.statusCode : null,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        address: ip,
        ...(!isComplete && { aborted: true }),
        ...idsOf(request.span),
      };
      app.log.info(fields, 'request');
    });
    done();
  });
}

/** The path of the request, or the pattern of a route whose path contains a secret. */
function pathOf(request: FastifyRequest): string {
  const pattern = request.is404 ? undefined : request.routeOptions.url;
  return pattern?.includes(':secret') ? pattern : loggedPath(request.url);
}
