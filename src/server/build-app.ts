/** Builds the app from the HTTP layer and the modules. Production and tests use the same app. */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Database } from '../db/client.ts';
import { registerAccessLog } from '../http/access-log.ts';
import type { App } from '../http/app.ts';
import { registerAuthentication } from '../http/authenticate.ts';
import { registerCompression } from '../http/compression.ts';
import { registerModule } from '../http/define-module.ts';
import { registerDocuments } from '../http/documents.ts';
import { registerLingeringClose } from '../http/lingering-close.ts';
import { registerMetrics } from '../http/metrics.ts';
import { registerEmptyParameters, registerProblems } from '../http/problems.ts';
import { registerRateLimit } from '../http/rate-limit.ts';
import { registerRequestTimeout } from '../http/request-timeout.ts';
import {
  createStandardHeaders,
  registerPreflight,
  registerSecurityHeaders,
} from '../http/security-headers.ts';
import { registerValidation } from '../http/validation.ts';
import type { ReadyConfig } from '../lib/config.ts';
import { exportRoutes } from '../modules/account/export-routes.ts';
import { ownListRoutes } from '../modules/account/own-list-routes.ts';
import { meRoutes } from '../modules/account/routes.ts';
import { adminUserRoutes } from '../modules/admin/routes.ts';
import { adminSystemRoutes } from '../modules/admin/system-routes.ts';
import { bookingRoutes } from '../modules/attendance/booking-routes.ts';
import { eventAnswerRoutes } from '../modules/attendance/rsvp-routes.ts';
import { authRoutes } from '../modules/auth/routes.ts';
import type { SmsDriver } from '../modules/auth/sms.ts';
import { eventListRoutes } from '../modules/discovery/routes.ts';
import { eventRoutes } from '../modules/events/routes.ts';
import { feedRoutes } from '../modules/feed/routes.ts';
import { claimListRoutes } from '../modules/items/claim-list-routes.ts';
import { claimRoutes, itemRoutes } from '../modules/items/routes.ts';
import { messageRoutes } from '../modules/messages/routes.ts';
import { reportRoutes } from '../modules/reports/routes.ts';
import { uploadRoutes } from '../modules/uploads/routes.ts';
import { userListRoutes } from '../modules/users/list-routes.ts';
import { openBaseServices } from './base-services.ts';
import { createFastify } from './create-fastify.ts';
import { registerMaintenance } from './maintenance.ts';
import { modules } from './modules.ts';
import { registerOpenApi } from './openapi/register-openapi.ts';
import { addOutageProbes } from './outage-probes.ts';
import { registerPages } from './pages/register-pages.ts';
import { createServices, type Services } from './services.ts';

export type Deps = Services;

export type AppOptions = {
  config: ReadyConfig;
  db: Database;
  /** Default: the driver of the configuration. */
  sms?: SmsDriver;
  /** Default: the clock of this machine. */
  clock?: () => Date;
  /** Runs the jobs of the modules until the app closes. Default: false. */
  runJobs?: boolean;
};

export async function buildApp(options: AppOptions): Promise<App> {
  const { config, db, sms, clock = () => new Date(), runJobs = false } = options;
  const headers = createStandardHeaders(config);
  const app = createFastify(config, headers);

  const base = await openBaseServices(app, { config, db, clock });
  const deps = createServices(base, sms);
  addOutageProbes(base.outages, db, deps.storage);

  // Logs, headers and limits of every request
  registerAccessLog(app, config);
  registerSecurityHeaders(app, headers);
  registerLingeringClose(app);
  registerMetrics(app);
  registerRequestTimeout(app, base.outages);
  registerValidation(app);
  registerProblems(app, base.outages);
  await registerPreflight(app, config);
  await registerRateLimit(app, deps);
  registerAuthentication(app, deps);
  registerEmptyParameters(app);

  // Responses and documents
  await registerCompression(app);
  registerDocuments(app);
  await registerOpenApi(app, config);
  registerPages(app, deps);

  // Endpoints and jobs
  for (const module of modules) await registerModule(app, module, deps);
  await app.register(async (scope) => {
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>();
    authRoutes(routes, deps);
    meRoutes(routes, deps);
    ownListRoutes(routes, deps);
    exportRoutes(routes, deps);
    userListRoutes(routes, deps);
    messageRoutes(routes, deps);
    eventListRoutes(routes, deps);
    eventRoutes(routes, deps);
    feedRoutes(routes, deps);
    eventAnswerRoutes(routes, deps);
    bookingRoutes(routes, deps);
    itemRoutes(routes, deps);
    claimRoutes(routes, deps);
    uploadRoutes(routes, deps);
    reportRoutes(routes, deps);
    adminUserRoutes(routes, deps);
    adminSystemRoutes(routes, deps);
    claimListRoutes(routes, deps);
  });
  if (runJobs) registerMaintenance(app, deps);
  return app;
}
