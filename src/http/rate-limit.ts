/**
 * The limit on requests, for each caller's address and over all servers. Limits on codes are a matter of auth/codes.ts.
 * Counted before the token is looked up, so that made-up tokens count too; that is why it is the address that counts.
 */
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/client.ts';
import type { Config } from '../lib/config.ts';
import { Problem } from '../lib/errors.ts';
import { networkOf } from '../lib/ip-address.ts';
import { RateLimitStore, windowMs } from './rate-limit-store.ts';

type Deps = { config: Config & { secretKey: string }; db: Database; clock: () => Date };

export async function registerRateLimit(app: FastifyInstance, { config, db, clock }: Deps): Promise<void> {
  const limit = config.rateLimit;
  if (limit === 0) return;
  const counts = new RateLimitStore({ db, clock, secretKey: config.secretKey, limit });
  class Store implements FastifyRateLimitStore {
    incr(caller: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      counts.count(caller).then(
        (count) => done(null, count),
        (error) => done(error),
      );
    }
    child(): FastifyRateLimitStore {
      return this;
    }
  }
  await app.register(rateLimit, {
    global: false,
    max: limit,
    timeWindow: windowMs,
    store: Store,
    keyGenerator: (request) => networkOf(request.ip),
    // RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset, which clients know how to read.
    enableDraftSpec: true,
    // A monitor that asks too often must not conclude that the process is dead.
    allowList: (request) => request.url === '/healthz' || request.url === '/readyz',
    errorResponseBuilder: (_request, { ttl }) =>
      new Problem('too_many_requests', { retryAfter: Math.ceil(ttl / 1000) }),
  });
  // As a hook of the whole app it comes before the look-up of the token, and counts what is unknown or refused as well.
  app.addHook('onRequest', app.rateLimit());
}
