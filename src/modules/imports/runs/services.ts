import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '#pg';
import type { Config } from '../../../config/config.ts';
import type { EventServices } from '../../events/services.ts';

export type ImportServices = EventServices;

/** What the job that works on imports needs. */
export type RunServices = {
  db: Database;
  clock: () => Date;
  config: Pick<Config, 'dailyQuotas'> & { publicUrl: string; importTestOrigin?: string | undefined };
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
};
