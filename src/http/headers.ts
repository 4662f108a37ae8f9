/** Headers that every answer carries: what protects pages and their visitors, and who may read it from another site. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import type { Config } from '../config.ts';

const exposed =
  'ETag, Retry-After, Location, WWW-Authenticate, Idempotent-Replayed, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/** How long a browser may remember what it was allowed, in seconds. */
const preflightAge = 7_200;

export async function registerHeaders(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  const everybody = corsOrigins === '*' ? '*' : null;
  const forEverybody = everybody && {
    'access-control-allow-origin': everybody,
    'access-control-expose-headers': exposed,
  };
  // They are always the same, so they are made once.
  const headers = { ...helmetHeaders(true), ...forEverybody };
  // What the API answers is for whoever asked, and as it was then; pictures say for themselves how long they are good.
  const ofApi = { ...helmetHeaders(false), ...forEverybody, 'cache-control': 'no-store' };
  const allowed = new Set(everybody ? [] : corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(request.url.startsWith('/v1/') ? ofApi : headers);
    if (allowed.size > 0) {
      const { origin } = request.headers;
      // Also without an origin: whatever keeps this answer must not give it to a page of another site.
      reply.header('vary', 'Origin');
      if (origin !== undefined && allowed.has(origin)) {
        reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed);
      }
    }
    done();
  });
  if (!everybody && allowed.size === 0) return;
  // In a scope of its own, where it answers OPTIONS alone.
  await app.register(async (scope) => {
    await scope.register(cors, {
      origin: everybody ?? [...allowed],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: preflightAge,
      // Any OPTIONS gets this answer, a preflight or not.
      strictPreflight: false,
    });
  });
}

/**
 * What OWASP asks of an API's answers: nothing in them is run or framed, and their type is believed. Pictures may be
 * shown on other sites; pages set a policy of their own.
 * @param isPage with those that mean something for a document alone; each costs every answer time
 */
function helmetHeaders(isPage: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const middleware = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    frameguard: { action: 'deny' },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: isPage,
    originAgentCluster: isPage,
    xDnsPrefetchControl: isPage,
    xDownloadOptions: isPage,
    xPermittedCrossDomainPolicies: isPage,
    xXssProtection: isPage,
  });
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}
