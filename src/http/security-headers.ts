/**
 * Headers that every response carries, whichever part of the server produces it: security headers, CORS,
 * `Cache-Control` and `X-Request-Id`. They are set once, before anything else looks at a request, so a
 * refusal by a later hook has them as well. Responses that Fastify takes no part in (to bytes that are no
 * request) get the same from `rawHeaders`.
 */
import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { isPageCall } from './admission.ts';

const exposed =
  'ETag, Retry-After, Location, Link, WWW-Authenticate, Idempotent-Replayed, RateLimit, RateLimit-Policy, RateLimit-Limit, ' +
  'RateLimit-Remaining, RateLimit-Reset, X-Request-Id';

/**
 * The headers that OWASP recommends for responses of an API: no script runs, no framing, no type sniffing. Other sites may
 * embed images. Pages set a policy of their own.
 */
const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** These have a meaning for documents only. */
const documentHeaders = {
  'cross-origin-opener-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

/** How long a browser may cache a preflight response, in seconds. */
const preflightAge = 7_200;

export type StandardHeaders = {
  /**
   * Sets the headers of a response; for the hook below, and for errors that Fastify reports before any hook.
   */
  apply(request: FastifyRequest, reply: FastifyReply): void;
  /** Headers for a response that is written to the socket directly. */
  rawHeaders(requestId: string): Record<string, string>;
  /** Paths of pages, which `Cache-Control` does not forbid to store unless they say so themselves. */
  pages: Set<string>;
};

export function createStandardHeaders({ corsOrigins }: Pick<Config, 'corsOrigins'>): StandardHeaders {
  const isOpen = corsOrigins === '*';
  const cors = isOpen && { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed };
  const noStore = { 'cache-control': 'no-store' };
  // The objects are the same for every response, so they are built once.
  const ofApi = { ...securityHeaders, ...cors, ...noStore };
  const ofPage = { ...securityHeaders, ...documentHeaders, ...cors };
  const ofOther = { ...ofPage, ...noStore };
  const allowed = new Set(isOpen ? [] : corsOrigins);
  const pages = new Set<string>();

  // A response may be stored only if its path is known to be a page, written plainly: other spellings of a
  // path (`/%761/…`, `http://host/v1/…`) reach the same routes.
  // Scripts, styles and fonts of pages: a page loads dozens, and the other headers would be longer than most of them.
  const ofFile = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' };
  const headersOf = (url: string) => {
    if (url.startsWith('/_app/immutable/')) return ofFile;
    if (url.startsWith('/v1/')) return ofApi;
    return pages.has(url.split('?', 1)[0] ?? url) ? ofPage : ofOther;
  };

  return {
    pages,
    apply(request, reply) {
      reply.headers(headersOf(request.url)).header('x-request-id', request.id);
      if (allowed.size === 0) return;
      const { origin } = request.headers;
      // Also without an origin: a cache must not give this response to a page of another site.
      reply.header('vary', 'Origin');
      if (origin !== undefined && allowed.has(origin)) {
        reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed);
      }
    },
    rawHeaders: (requestId) => ({
      ...ofOther,
      ...(allowed.size > 0 && { vary: 'Origin' }),
      'x-request-id': requestId,
    }),
  };
}

/** Must be registered before every other hook and route. */
export function registerSecurityHeaders(app: FastifyInstance, headers: StandardHeaders): void {
  app.addHook('onRoute', ({ url, config }) => {
    // Endpoints of the API declare their access; all other routes are pages for browsers.
    if (!config?.caller) headers.pages.add(url);
  });
  app.addHook('onRequest', (request, reply, done) => {
    // No browser sees the responses from which this process renders a page.
    if (!isPageCall()) headers.apply(request, reply);
    done();
  });
}

/** Responds to OPTIONS, unless no origin may read responses. */
export async function registerPreflight(app: FastifyInstance, { corsOrigins }: Config): Promise<void> {
  if (corsOrigins !== '*' && corsOrigins.length === 0) return;
  // In a scope of its own, where it handles OPTIONS alone.
  await app.register(async (scope) => {
    await scope.register(cors, {
      origin: corsOrigins,
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: preflightAge,
      // Every OPTIONS gets this response, whether it is a preflight or not.
      strictPreflight: false,
    });
  });
}
