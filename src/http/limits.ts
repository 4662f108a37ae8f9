/** The limit on requests, for each caller's address. Limits on codes are a matter of auth/codes.ts. */
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { Problem } from '../errors.ts';

export async function registerLimits(app: FastifyInstance, config: Config): Promise<void> {
  if (config.rateLimit === 0) return;
  await app.register(rateLimit, {
    global: false,
    max: config.rateLimit,
    timeWindow: '1 minute',
    // A monitor that asks too often must not conclude that the process is dead.
    allowList: (request) => request.url === '/healthz' || request.url === '/readyz',
    errorResponseBuilder: (_request, { ttl }) =>
      new Problem('too_many_requests', { retryAfter: Math.ceil(ttl / 1000) }),
  });
  // As a hook of the whole app it comes before the look-up of the token, and counts what is unknown or refused as well.
  app.addHook('onRequest', app.rateLimit());
}
