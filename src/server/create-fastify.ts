/** Creates the Fastify instance: the limits and error responses of the HTTP server. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { LogController } from 'fastify';
import type { ReadyConfig } from '../config/config.ts';
import type { App } from '../http/app.ts';
import { loggerOptions } from '../http/logging.ts';
import { createClientErrorHandler, maxParamLength, sendError } from '../http/problems.ts';
import { requestIdOf, rewriteUrl } from '../http/request-head.ts';
import type { createStandardHeaders } from '../http/security-headers.ts';

export function createFastify(config: ReadyConfig, headers: ReturnType<typeof createStandardHeaders>): App {
  const app: App = Fastify({
    logger: loggerOptions(config),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: config.trustProxy,
    // Allows uploads over slow connections. All other routes have a shorter timeout
    // (http/admission.ts).
    requestTimeout: 60_000,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    clientErrorHandler: createClientErrorHandler(headers),
    frameworkErrors: (error, request, reply) => {
      headers.apply(request, reply);
      sendError(error, request, reply);
    },
    // A long id gets the 404 of an unknown id. The limit of the request's headers bounds its length.
    routerOptions: { maxParamLength },
    rewriteUrl,
    // A closing server still responds to requests on open connections.
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>();
  // Requests share the logger: a child logger for each request costs more than adding the request id to a
  // line.
  app.setChildLoggerFactory((logger) => logger);
  return app;
}
