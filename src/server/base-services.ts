import { randomUUID } from 'node:crypto';
import { ChangeLog } from '../cache/change-log.ts';
import type { Database } from '../db/client.ts';
import { openFlags } from '../flags/flags.ts';
import type { App } from '../http/app.ts';
import { OutageLog } from '../http/outage-log.ts';
import type { BaseServices } from '../http/services.ts';
import { createSessionCache } from '../identity/session-cache.ts';
import type { ReadyConfig } from '../lib/config.ts';

type Environment = { config: ReadyConfig; db: Database; clock: () => Date };

/** Opens the services that every module uses, and closes them with the app. */
export async function openBaseServices(app: App, { config, db, clock }: Environment): Promise<BaseServices> {
  const changeLog = new ChangeLog(db);
  const services: BaseServices = {
    config,
    db,
    clock,
    log: app.log,
    changeLog,
    sessions: createSessionCache(db, changeLog, config.cacheBytes),
    flags: await openFlags(db, config, randomUUID()),
    outages: new OutageLog(app.log),
  };
  app.addHook('onClose', async () => services.flags.close());
  app.addHook('onClose', async () => services.outages.close());
  return services;
}
