/** Runs the jobs of all modules and of the layers below them. */
import { hourMs, minuteMs } from '#base';
import { deleteExpiredChanges } from '#fresh-records';
import { rootSpan } from '#telemetry';
import type { App } from '../http/app.ts';
import type { Job } from '../http/define-module.ts';
import { clockOffset, jobFailures } from '../http/metrics.ts';
import { deleteExpiredCounts } from '../http/rate-limit.ts';
import type { BaseServices } from '../http/services.ts';
import { deleteExpiredResponses } from '../idempotency/stored-responses.ts';
import { deleteExpiredDailyCounts } from '../quotas/daily-quotas.ts';
import { clockError, measureClock, toClockDifference } from './clock-check.ts';
import { modules } from './modules.ts';
import { nightlyBackupJobs } from './nightly-backup.ts';
import type { Services } from './services.ts';

/** The jobs of the layers below the modules. */
const baseJobs: Job<BaseServices>[] = [
  {
    name: 'delete expired idempotent responses',
    everyMs: hourMs,
    run: ({ db, clock }) => deleteExpiredResponses(db, clock()),
  },
  {
    name: 'delete expired daily counts',
    everyMs: hourMs,
    run: ({ db, clock }) => deleteExpiredDailyCounts(db, clock()),
  },
  { name: 'delete expired changes', everyMs: minuteMs, run: ({ db }) => deleteExpiredChanges(db) },
  {
    name: 'delete expired rate-limit counts',
    everyMs: minuteMs,
    run: ({ db }) => deleteExpiredCounts(db),
  },
  {
    name: 'check the image storage',
    everyMs: hourMs,
    atStart: true,
    run: ({ outages }) => outages.check('image storage'),
  },
  { name: 'compare the clocks', everyMs: minuteMs, atStart: true, run: compareClocks },
];

async function compareClocks({ db, clock, log, outages }: BaseServices): Promise<void> {
  const differenceMs = await measureClock(db, clock);
  clockOffset.set(differenceMs / 1_000);
  const difference = toClockDifference(differenceMs);
  if (difference?.isTooLarge) outages.report('clock', clockError(difference));
  else if (difference) log.warn({ seconds: difference.seconds }, difference.text);
}

/**
 * Repeats each job until the app closes. A job that fails runs again after its interval; its failures are logged at
 * most once a minute. A job that takes longer than its interval skips runs.
 */
export function registerMaintenance(app: App, services: Services): void {
  const jobs: Job<Services>[] = [
    ...baseJobs,
    ...nightlyBackupJobs(app, services),
    ...modules.flatMap((module) => module.jobs ?? []),
  ];
  // A series that exists before the first failure shows the failure as an increase.
  for (const { name } of jobs) jobFailures.inc({ name }, 0);
  const timers = jobs.map((job) => {
    const run = createRun(app, job, services);
    if (job.atStart) app.addHook('onListen', async () => void run());
    return setInterval(run, job.everyMs).unref();
  });
  app.addHook('preClose', async () => {
    for (const timer of timers) clearInterval(timer);
  });
}

function createRun(app: App, { name, run }: Job<Services>, services: Services): () => Promise<void> {
  let isRunning = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (isRunning) return;
    isRunning = true;
    try {
      await rootSpan(`job ${name}`, () => run(services));
    } catch (error) {
      jobFailures.inc({ name });
      if (performance.now() - loggedAt >= minuteMs) {
        loggedAt = performance.now();
        app.log.warn({ err: error, job: name }, 'a maintenance job failed and will run again');
      }
    } finally {
      isRunning = false;
    }
  };
}
