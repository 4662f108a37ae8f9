/**
 * Refuses writes while the disk of the embedded database is almost full. PostgreSQL refuses a write that finds no space
 * in a table, and continues. But if it finds no space for another segment of its write-ahead log, it ends all
 * connections and cannot recover until space is free: then reads fail as well. A database that DATABASE_URL names may
 * be on another machine, whose operator watches its disk.
 */
import path from 'node:path';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { freeBytesOf } from '#base';
import type { Config } from '../config/config.ts';
import { Problem } from '../lib/errors.ts';
import type { OutageLog } from './outage-log.ts';

/** In bytes: three segments of the write-ahead log, of 16 MiB each, for the work that PostgreSQL does by itself. */
export const reserve = 48 * 1024 ** 2;
const checkIntervalMs = 500;

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The same code as PostgreSQL's for a full disk. */
const diskFullError = () =>
  Object.assign(new Error(`less than ${reserve} bytes are free on the disk of the database`), {
    code: '53100',
    stack: '',
  });

export class DiskReserve {
  readonly #directory: string | null;
  #timer: NodeJS.Timeout | undefined;
  #isUsed = false;

  constructor({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>) {
    this.#directory = databaseUrl === undefined ? path.join(dataDir, 'postgres') : null;
  }

  async start(): Promise<void> {
    if (this.#directory === null) return;
    await this.#check();
    this.#timer = setInterval(() => void this.#check(), checkIntervalMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** @throws Error if less than the reserve is free */
  assertFree(): void {
    if (this.#isUsed) throw diskFullError();
  }

  async #check(): Promise<void> {
    // Without an answer of the file system, the database itself decides.
    const free = await freeBytesOf(this.#directory ?? '').catch(() => null);
    this.#isUsed = free !== null && free < reserve;
  }
}

export async function registerDiskReserve(
  app: FastifyInstance,
  disk: DiskReserve,
  outages: OutageLog,
): Promise<void> {
  await disk.start();
  app.addHook('onClose', async () => disk.stop());
  const refuseFull: onRequestHookHandler = (request, _reply, done) => {
    // A route of pages may have several methods.
    if (readMethods.has(request.method)) return done();
    try {
      disk.assertFree();
      done();
    } catch (error) {
      outages.report('database writes', error);
      done(new Problem('unavailable'));
    }
  };
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => readMethods.has(method))) return;
    route.onRequest = [refuseFull, ...[route.onRequest ?? []].flat()];
  });
}
