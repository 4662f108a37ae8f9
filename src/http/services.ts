/** The services that every module builds on. */
import type { FastifyBaseLogger } from 'fastify';
import type { ChangeLog, Replicas } from '#fresh-records';
import type { Database } from '#pg';
import type { ReadyConfig } from '../config/config.ts';
import type { Flags } from '../flags/flags.ts';
import type { SessionCache } from '../identity/sessions.ts';
import type { Instance } from '../instance/settings.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OutageLog } from './outage-log.ts';

export type BaseServices = {
  config: ReadyConfig;
  db: Database;
  /** The current time; tests move it. */
  clock: () => Date;
  log: FastifyBaseLogger;
  changeLog: ChangeLog;
  /** Reads that a replica can answer. */
  replicas: Replicas;
  sessions: SessionCache;
  flags: Flags;
  /** The settings that admins can change. */
  instance: Instance;
  outages: OutageLog;
  /** Sends mails, if the server is configured to. */
  mailer: Mailer;
};
