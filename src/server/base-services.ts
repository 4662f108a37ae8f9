import { allowStandby } from '#base';
import { ChangeLog, type Replica, Replicas } from '#fresh-records';
import { connect, type Database } from '#pg';
import type { ReadyConfig } from '../config/config.ts';
import { openFlags } from '../flags/flags.ts';
import type { App } from '../http/app.ts';
import { mails, replicas as metrics } from '../http/metrics.ts';
import { OutageLog } from '../http/outage-log.ts';
import { watchPools } from '../http/pool-metrics.ts';
import type { BaseServices } from '../http/services.ts';
import { createSessionCache } from '../identity/sessions.ts';
import { openInstance } from '../instance/settings.ts';
import { createMailer } from '../mail/create-mailer.ts';
import type { Mailer, MailOutcome } from '../mail/mailer.ts';

/** `mailer`: in place of the one of the configuration, for tests. */
type Environment = { config: ReadyConfig; db: Database; clock: () => Date; mailer?: Mailer | undefined };

/** Opens the services that every module uses, and closes them with the app. */
export function openBaseServices(app: App, { config, db, clock, mailer }: Environment): BaseServices {
  const changeLog = new ChangeLog(db);
  const instance = openInstance({ db, changeLog }, config);
  const nameOf = async () => (await instance.settings()).name;
  const replicas = openReplicas(app, config, { primary: db, changeLog });
  const services: BaseServices = {
    config,
    db,
    clock,
    log: app.log,
    changeLog,
    replicas,
    sessions: createSessionCache({ changeLog, replicas }, config.cacheBytes),
    flags: openFlags({ db, changeLog }, config),
    instance,
    outages: new OutageLog(app.log),
    mailer: mailer ?? createMailer({ config, db, clock, log: app.log, count: countCode, nameOf }),
  };
  const unwatch = watchPools('primary', db);
  app.addHook('onClose', async () => unwatch());
  app.addHook('onClose', async () => services.outages.close());
  app.addHook('onClose', async () => services.mailer.close());
  return services;
}

const countCode = (outcome: MailOutcome): void => mails.inc({ use: 'code', outcome });

function openReplicas(
  app: App,
  { databaseReplicaUrls }: ReadyConfig,
  source: { primary: Database; changeLog: ChangeLog },
): Replicas {
  const replicas: Replica[] = databaseReplicaUrls.map((url) => ({
    name: nameOf(url),
    db: connect(allowStandby(url)),
  }));
  const service = new Replicas({
    ...source,
    replicas,
    log: app.log,
    metrics: {
      countRead: (on) => metrics.reads.inc({ on }),
      setUsable: (replica, isUsable) => metrics.usable.set({ replica }, Number(isUsable)),
    },
  });
  const unwatch = replicas.map(({ name, db }) => watchPools(name, db));
  service.usable.start();
  app.addHook('onClose', async () => {
    service.usable.stop();
    for (const end of unwatch) end();
    await Promise.all(replicas.map(({ db }) => db.end({ timeoutMs: 1_000 })));
  });
  return service;
}

/** Host and port, or the directory of the socket: without the password. */
function nameOf(url: string): string {
  const { host, searchParams } = new URL(url);
  return searchParams.get('host') ?? host;
}
