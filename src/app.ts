/** The app, whole: the same in production and in tests. What it consists of is listed here, and nowhere else. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { adminUserRoutes } from './admin/routes.ts';
import { adminSystemRoutes } from './admin/system-routes.ts';
import { authRoutes } from './auth/routes.ts';
import { type SmsDriver, smsDriver } from './auth/sms.ts';
import { bookingRoutes } from './bookings/routes.ts';
import { calendarRoutes } from './calendars/routes.ts';
import { Changes } from './changes.ts';
import type { Config } from './config.ts';
import type { Sql } from './db/connect.ts';
import { eventAnswerRoutes } from './events/answer-routes.ts';
import { eventListRoutes } from './events/list-routes.ts';
import { type Lists, openLists } from './events/lists.ts';
import { eventRoutes } from './events/routes.ts';
import { feedRoutes } from './feed/routes.ts';
import { type Flags, openFlags } from './flags.ts';
import { registerAccessLog } from './http/access-log.ts';
import { registerCompression } from './http/compression.ts';
import { registerDeadline } from './http/deadline.ts';
import { registerDocuments } from './http/documents.ts';
import { createStandardHeaders, registerHeaders, registerPreflight } from './http/headers.ts';
import { healthRoutes } from './http/health.ts';
import { registerLimits } from './http/limits.ts';
import { registerLingeringClose } from './http/lingering-close.ts';
import { loggerOptions } from './http/log.ts';
import { registerMetrics } from './http/metrics.ts';
import { registerOpenApi } from './http/openapi.ts';
import { pageRoutes } from './http/pages.ts';
import {
  answerError,
  createClientErrorHandler,
  maxParamLength,
  registerEmptyParameters,
  registerProblems,
} from './http/problem.ts';
import { requestIdOf } from './http/request-id.ts';
import { readablePath, registerStrictness } from './http/strictness.ts';
import { registerViewer } from './http/viewer.ts';
import { claimListRoutes } from './items/claim-list-routes.ts';
import { claimRoutes, itemRoutes } from './items/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { exportRoutes } from './me/export-routes.ts';
import { ownListRoutes } from './me/own-list-routes.ts';
import { meRoutes } from './me/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import { OutageLog } from './outage-log.ts';
import { addProbes } from './outage-probes.ts';
import { openReads, type Reads } from './reads.ts';
import { reportRoutes } from './reports/routes.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { openStorage, type Storage } from './uploads/storage.ts';
import { userListRoutes } from './users/list-routes.ts';
import { userRoutes } from './users/routes.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type ReadyConfig = Config & { secretKey: string };
export type Deps = {
  config: ReadyConfig;
  sql: Sql;
  reads: Reads;
  lists: Lists;
  sms: SmsDriver;
  clock: () => Date;
  flags: Flags;
  /** Of images. */
  storage: Storage;
  outages: OutageLog;
};
export type AppOptions = {
  config: ReadyConfig;
  sql: Sql;
  /** Default: the driver of the configuration. */
  sms?: SmsDriver;
  /** Default: the time of this machine. */
  clock?: () => Date;
};

export async function buildApp({ config, sql, sms, clock = () => new Date() }: AppOptions): Promise<App> {
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
      answerError(error, request, reply);
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
  const storage = openStorage(config);
  addProbes(outages, sql, storage);
  const changes = new Changes(sql);
  const reads = openReads(sql, changes);
  const deps: Deps = {
    config,
    sql,
    reads,
    lists: openLists(sql, changes, reads),
    clock,
    sms: sms ?? smsDriver(config, app.log),
    flags: await openFlags(sql, config, randomUUID()),
    storage,
    outages,
  };

  app.addHook('onClose', async () => deps.flags.close());
  app.addHook('onClose', async () => outages.close());
  registerAccessLog(app, config);
  registerHeaders(app, headers);
  registerLingeringClose(app);
  registerMetrics(app);
  registerDeadline(app, outages);
  registerStrictness(app);
  registerProblems(app, outages);
  await registerPreflight(app, config);
  await registerLimits(app, deps);
  registerViewer(app, deps);
  registerEmptyParameters(app);
  await registerCompression(app);
  registerDocuments(app);
  await registerOpenApi(app, config);

  await app.register(async (scope) => {
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>();
    healthRoutes(routes, deps);
    pageRoutes(routes, deps);
    authRoutes(routes, deps);
    meRoutes(routes, deps);
    ownListRoutes(routes, deps);
    exportRoutes(routes, deps);
    userRoutes(routes, deps);
    userListRoutes(routes, deps);
    messageRoutes(routes, deps);
    eventListRoutes(routes, deps);
    eventRoutes(routes, deps);
    feedRoutes(routes, deps);
    calendarRoutes(routes, deps);
    eventAnswerRoutes(routes, deps);
    bookingRoutes(routes, deps);
    itemRoutes(routes, deps);
    claimRoutes(routes, deps);
    uploadRoutes(routes, deps);
    reportRoutes(routes, deps);
    adminUserRoutes(routes, deps);
    adminSystemRoutes(routes, deps);
    claimListRoutes(routes, deps);
    liveRoutes(routes, deps);
  });
  return app;
}
