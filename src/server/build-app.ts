import type { App } from '../http/app.ts';
import type { ReadyConfig } from '../lib/config.ts';
/** The app, whole: the same in production and in tests. What it consists of is listed here, and nowhere else. */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { LogController } from 'fastify';
import { ChangeLog } from '../cache/change-log.ts';
import type { Database } from '../db/client.ts';
import { openFlags } from '../flags/flags.ts';
import { registerAccessLog } from '../http/access-log.ts';
import { registerAuthentication } from '../http/authenticate.ts';
import { registerCompression } from '../http/compression.ts';
import { registerModule } from '../http/define-module.ts';
import { registerDocuments } from '../http/documents.ts';
import { registerLingeringClose } from '../http/lingering-close.ts';
import { registerLoadShedding } from '../http/load-shedding.ts';
import { loggerOptions } from '../http/logging.ts';
import { registerMetrics } from '../http/metrics.ts';
import { OpenRequests, registerOpenRequests } from '../http/open-requests.ts';
import { OutageLog } from '../http/outage-log.ts';
import {
  createClientErrorHandler,
  maxParamLength,
  registerEmptyParameters,
  registerProblems,
  sendError,
} from '../http/problems.ts';
import { registerRateLimit } from '../http/rate-limit.ts';
import { requestIdOf } from '../http/request-id.ts';
import { registerRequestTimeout } from '../http/request-timeout.ts';
import {
  createStandardHeaders,
  registerPreflight,
  registerSecurityHeaders,
} from '../http/security-headers.ts';
import { readablePath, registerValidation } from '../http/validation.ts';
import { createSessionCache } from '../identity/session-cache.ts';
import type { SmsDriver } from '../modules/auth/sms.ts';
import { calendarRoutes } from '../modules/calendars/routes.ts';
import { liveRoutes } from '../modules/live/routes.ts';
import { accountHooks } from './account-hooks.ts';
import { healthRoutes } from './health.ts';
import { modules } from './modules.ts';
import { registerOpenApi } from './openapi.ts';
import { addProbes } from './outage-probes.ts';
import { pageRoutes } from './pages.ts';
import { createServices, type Services } from './services.ts';
export type Deps = Services;
export type AppOptions = {
  config: ReadyConfig;
  db: Database;
  /** Default: the driver of the configuration. */
  sms?: SmsDriver;
  /** Default: the time of this machine. */
  clock?: () => Date;
};

export async function buildApp({ config, db, sms, clock = () => new Date() }: AppOptions): Promise<App> {
  const headers = createStandardHeaders(config);
  const app: App = Fastify({
    logger: loggerOptions(config),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    trustProxy: config.trustProxy,
    // For images over slow lines; any other body is refused by its route's deadline (http/deadline.ts) long before.
    requestTimeout: 60_000,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    clientErrorHandler: createClientErrorHandler(headers),
    frameworkErrors: (error, request, reply) => {
      headers.apply(request, reply);
      sendError(error, request, reply);
    },
    // An id of any length is an id that nothing has; the headers' limit bounds it.
    routerOptions: { maxParamLength },
    rewriteUrl: (request: IncomingMessage) => readablePath(request.url ?? '/'),
    // While stopping, what still comes in on an open connection is answered, not refused.
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>();
  // A logger for each request would cost more than its look-up; the one line that names a request does so itself.
  app.setChildLoggerFactory((logger) => logger);

  const outages = new OutageLog(app.log);
  const changeLog = new ChangeLog(db);
  const deps = createServices(
    {
      config,
      db,
      clock,
      log: app.log,
      changeLog,
      sessions: createSessionCache(db, changeLog),
      flags: await openFlags(db, config, randomUUID()),
      outages,
    },
    accountHooks,
    sms,
  );
  addProbes(outages, db, deps.storage);

  app.addHook('onClose', async () => deps.flags.close());
  app.addHook('onClose', async () => outages.close());
  registerAccessLog(app, config);
  registerSecurityHeaders(app, headers);
  registerLingeringClose(app);
  registerMetrics(app);
  const open = new OpenRequests();
  registerLoadShedding(app, open, outages);
  registerOpenRequests(app, open);
  registerRequestTimeout(app, open);
  registerValidation(app);
  registerProblems(app, outages);
  await registerPreflight(app, config);
  await registerRateLimit(app, deps);
  registerAuthentication(app, deps);
  registerEmptyParameters(app);
  await registerCompression(app);
  registerDocuments(app);
  await registerOpenApi(app, config);

  for (const module of modules) await registerModule(app, module, deps);
  await app.register(async (scope) => {
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>();
    healthRoutes(routes, deps);
    pageRoutes(routes, deps);
    calendarRoutes(routes, deps);
    liveRoutes(routes, deps);
  });
  return app;
}
