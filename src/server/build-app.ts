/** Builds the app from the HTTP layer and the modules. Production and tests use the same app. */
import type { Database } from '#pg';
import type { ReadyConfig } from '../config/config.ts';
import { registerAccessLog } from '../http/access-log.ts';
import { registerAdmission } from '../http/admission.ts';
import type { App } from '../http/app.ts';
import { registerAuthentication } from '../http/authenticate.ts';
import { registerBodies } from '../http/bodies.ts';
import { registerModule } from '../http/define-module.ts';
import { DiskReserve, registerDiskReserve } from '../http/disk-reserve.ts';
import { registerDrain } from '../http/drain.ts';
import { registerMetrics } from '../http/metrics.ts';
import { registerEmptyParameters, registerProblems } from '../http/problems.ts';
import { registerRateLimit } from '../http/rate-limit.ts';
import { registerTargetCheck } from '../http/request-head.ts';
import {
  createStandardHeaders,
  registerPreflight,
  registerSecurityHeaders,
} from '../http/security-headers.ts';
import { registerSerialization } from '../http/serialization.ts';
import { registerTracing } from '../http/tracing.ts';
import { registerValidation } from '../http/validation.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { SmsDriver } from '../modules/accounts/sms/driver.ts';
import { accountHooks } from './account-hooks.ts';
import { openBaseServices } from './base-services.ts';
import { createFastify } from './create-fastify.ts';
import { registerMaintenance } from './maintenance.ts';
import { modules } from './modules.ts';
import { registerOpenApi } from './openapi/register-openapi.ts';
import { addOutageProbes } from './outage-probes.ts';
import { registerPages } from './pages/register-pages.ts';
import { createServices } from './services.ts';
import { registerWeb } from './web/register-web.ts';

type AppOptions = {
  config: ReadyConfig;
  db: Database;
  /** Default: the driver of the configuration. */
  sms?: SmsDriver;
  /** Default: the mailer of the configuration. */
  mailer?: Mailer;
  /** Default: the clock of this machine. */
  clock?: () => Date;
  /** Runs the jobs of the modules until the app closes. Default: false. */
  runJobs?: boolean;
  /** Serves the web app. Default: false. */
  pages?: boolean;
  /** Default: the metrics of this process. */
  readMetrics?: (() => Promise<string>) | undefined;
};

export async function buildApp(options: AppOptions): Promise<App> {
  const { config, db, mailer, clock = () => new Date(), runJobs = false, pages = false } = options;
  const headers = createStandardHeaders(config);
  const app = createFastify(config, headers);

  const base = openBaseServices(app, { config, db, clock, mailer });
  const services = createServices(base, accountHooks, options);
  const disk = new DiskReserve(config);
  addOutageProbes(base.outages, { db, clock, storage: services.storage, disk });

  // Logs, headers and limits of every request
  registerTracing(app);
  registerAccessLog(app, config);
  registerSecurityHeaders(app, headers);
  registerMetrics(app);
  // Where requests are not limited, as in a load test, a single client may take the whole server.
  const open = registerAdmission(app, { outages: base.outages, hasTurns: config.rateLimit > 0 });
  registerTargetCheck(app);
  registerValidation(app);
  registerSerialization(app);
  registerProblems(app, base.outages);
  await registerPreflight(app, config);
  await registerDiskReserve(app, disk, base.outages);
  registerRateLimit(app, services);
  registerAuthentication(app, services);
  registerEmptyParameters(app);

  // Responses and documents
  await registerBodies(app);
  await registerOpenApi(app, config);
  registerPages(app, services);

  // Endpoints and jobs
  for (const module of modules) await registerModule(app, module, services);
  // After the modules: its route matches every path that no other route does.
  if (pages) await registerWeb(app, modules, services);
  if (runJobs) registerMaintenance(app, services);
  await registerDrain(app, open);
  return app;
}
