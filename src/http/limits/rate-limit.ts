/**
 * The rate limit for each client network, over all servers. Requests are counted before their tokens are
 * verified, so that requests with invalid tokens count too; therefore the address identifies the caller.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../db/client.ts';
import type { ReadyConfig } from '../../lib/config.ts';
import { Problem } from '../../lib/errors.ts';
import { networkOf } from '../../lib/ip-address.ts';
import { isPageCall } from '../page-calls.ts';
import { RateLimitStore, windowMs } from './rate-limit-store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A file that is the same for every client, such as a script or an icon. The rate limit does not count it. */
    isStaticFile?: true;
  }
}

/**
 * In ms, between two refusals of one client network. A client that ignores them would otherwise occupy the server with
 * thousands of refusals a second.
 */
const refusalIntervalMs = 2;
/** Networks in memory above which those without a waiting refusal are removed. */
const maxIdleNetworks = 1_000;

/** The times of the latest refusals. Each network has at most as many waiting as it has places (load-shedding.ts). */
class Refusals {
  #times = new Map<string, number>();

  /** Resolves when a refusal of the network may be sent. */
  async wait(network: string): Promise<void> {
    const now = performance.now();
    if (this.#times.size > maxIdleNetworks)
      this.#times = new Map([...this.#times].filter(([, at]) => at > now));
    const at = Math.max(now, this.#times.get(network) ?? 0) + refusalIntervalMs;
    this.#times.set(network, at);
    await sleep(at - now);
  }
}

type Services = { config: ReadyConfig; db: Database; clock: () => Date };

export async function registerRateLimit(
  app: FastifyInstance,
  { config, db, clock }: Services,
): Promise<void> {
  const limit = config.rateLimit;
  if (limit === 0) return;
  const counts = new RateLimitStore({ db, clock, secretKey: config.secretKey, limit });
  const refusals = new Refusals();
  const countRequest = async (network: string) => {
    const count = await counts.count(network);
    if (count.current > limit) await refusals.wait(network);
    return count;
  };
  class Store implements FastifyRateLimitStore {
    incr(network: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      countRequest(network).then(
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
    // The headers RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset.
    enableDraftSpec: true,
    // A monitor with a short interval must not get a 429 and report the process as down.
    // A page loads its files with it; they count as one request, the page.
    allowList: ({ url, routeOptions }) =>
      url === '/healthz' || url === '/readyz' || routeOptions.config.isStaticFile === true || isPageCall(),
    errorResponseBuilder: (_request, { ttl }) =>
      new Problem('too_many_requests', { retryAfter: Math.ceil(ttl / 1000) }),
  });
  // A hook of the whole app runs before authentication and counts unknown paths as well.
  app.addHook('onRequest', app.rateLimit());
}
