/**
 * Authenticates requests by their access token, or by the cookie of a browser session. An ended session is
 * invalid immediately on every server.
 */
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Database } from '#pg';
import type { Config } from '../config/config.ts';
import { isRenewalDue, SessionRenewals } from '../identity/browser-sessions.ts';
import type { Caller } from '../identity/caller.ts';
import { isLive, type LiveSession, type SessionCache } from '../identity/sessions.ts';
import { findSuspension, findSuspensionByToken } from '../identity/suspensions.ts';
import { parseToken, type Token } from '../identity/tokens.ts';
import { Problem } from '../lib/errors.ts';
import { browserCookieName, clearedCookie, readCookies } from './browser-cookie.ts';
import { requiresToken } from './define-endpoint.ts';
import { mayReadWithCookie, refuseCrossSite } from './same-origin.ts';

type Request = Pick<FastifyRequest, 'method' | 'headers'>;
type Access = Pick<FastifyContextConfig, 'caller' | 'session'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The person whose token or cookie the request carries; null without either. */
    caller: Caller | null;
  }
  interface FastifyInstance {
    /**
     * Finds the person whose token or cookie a request carries, as an endpoint with this access does; null without either.
     * @throws Problem `token_missing`, `token_invalid`, `account_suspended` or `cross_site_request`
     */
    findCaller(request: Request, access: Access): Promise<Caller | null>;
  }
}

type Services = {
  config: Pick<Config, 'publicUrl'>;
  db: Database;
  sessions: SessionCache;
  clock: () => Date;
};

/** `tokens`: without those that are malformed. A header may have several cookies with the name. */
type Credential = { tokens: Token[]; isCookie: boolean };

/** A neighbouring subdomain can set cookies with the name over plain HTTP. Each of them may cost a statement. */
const maxCookies = 8;

export function registerAuthentication(app: FastifyInstance, services: Services): void {
  app.decorateRequest('caller', null);
  const { publicUrl } = services.config;
  const publicOrigin = new URL(publicUrl).origin;
  const readCredential = credentialReader(browserCookieName({ publicUrl }), publicOrigin);
  const authenticate = authenticator(services);
  const cleared = clearedCookie({ publicUrl });

  app.addHook('onRoute', (options) => {
    const { method, url, config } = options;
    // Deny by default: the app does not start with a route that declares no caller.
    if (url.startsWith('/v1') && !config?.caller) throw new Error(`${method} ${url} declares no caller`);
    // onRequest runs before the body is read, so a 401 precedes a 400 and needs few resources.
    const hooks = [options.onRequest ?? []].flat();
    if (config?.session?.sameOriginOnly) {
      hooks.unshift((request, _reply, done) => done(refuseCrossSite(request, publicOrigin) ?? undefined));
    }
    if (config?.caller && config.caller !== 'none') hooks.unshift(setCaller(config));
    options.onRequest = hooks;
  });

  app.decorate('findCaller', async (request, access) => {
    const credential = readCredential(request, access);
    return credential && (await authenticate(credential, access));
  });

  const setCaller =
    (config: FastifyContextConfig): onRequestHookHandler =>
    (request, reply, done) => {
      let credential: Credential | null;
      try {
        credential = readCredential(request, config);
      } catch (error) {
        return done(error as Error);
      }
      // Without a promise: most requests have no credential.
      if (!credential) return done();
      const { isCookie } = credential;
      authenticate(credential, config).then(
        (caller) => {
          request.caller = caller;
          done();
        },
        (error) => {
          const isEnded = error instanceof Problem && error.code === 'token_invalid';
          if (isEnded && isCookie && config.session?.clearsCookie) reply.header('set-cookie', cleared);
          done(error);
        },
      );
    };
}

/**
 * Returns a function that reads the credential of a request: null without one. It throws Problem `token_missing` if the
 * access requires one, or `cross_site_request`.
 */
function credentialReader(cookieName: string, publicOrigin: string) {
  const read = (request: Request): Credential | null => {
    const { authorization, cookie } = request.headers;
    // No other site can make a browser send this header, so it takes precedence over a cookie.
    if (authorization !== undefined) {
      const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
      return { tokens: parseTokens('access', bearer ? [bearer] : []), isCookie: false };
    }
    const values = cookie === undefined ? [] : readCookies(cookie, cookieName);
    if (values.length === 0) return null;
    if (request.method === 'GET' || request.method === 'HEAD') {
      if (!mayReadWithCookie(request)) return null;
    } else {
      const refusal = refuseCrossSite(request, publicOrigin);
      if (refusal) throw refusal;
    }
    return { tokens: parseTokens('browser', values).slice(0, maxCookies), isCookie: true };
  };
  return (request: Request, { caller }: Access): Credential | null => {
    const credential = caller === 'none' ? null : read(request);
    if (!credential && caller && requiresToken(caller)) throw new Problem('token_missing');
    return credential;
  };
}

const parseTokens = (kind: 'access' | 'browser', values: string[]): Token[] =>
  values.map((value) => parseToken(kind, value)).filter((token) => token !== null);

/**
 * Returns a function that verifies a credential: the first token with a live session counts. It throws Problem
 * `token_invalid` or `account_suspended`.
 */
function authenticator({ db, sessions, clock }: Services) {
  const renewals = new SessionRenewals(db);

  async function findLive(token: Token, now: Date, isCookie: boolean, mayUseCache?: boolean) {
    const live = (session: LiveSession | null) => (session && isLive(session, token, now) ? session : null);
    const cached = mayUseCache ? live(await sessions.findCached(token)) : null;
    // A session that is cached as suspended may have ended with the suspension, and another server may have
    // renewed one whose renewal seems due.
    const isCurrent = cached && !cached.isSuspended && !(isCookie && isRenewalDue(cached, now));
    return isCurrent ? cached : live(await sessions.find(token));
  }

  return async ({ tokens, isCookie }: Credential, { caller, session: rules }: Access): Promise<Caller> => {
    const now = clock();
    const mayUseCache = caller === 'lockedByWrite';
    for (const token of tokens) {
      const session = await findLive(token, now, isCookie, mayUseCache);
      if (!session) continue;
      if (session.isSuspended && !rules?.allowsSuspended) {
        const suspension = await findSuspension(db, session.userId);
        throw new Problem('account_suspended', { suspension });
      }
      if (isCookie) renewals.start(session, now);
      const { userId: id, role, id: sessionId } = session;
      return { id, role, sessionId, accessHash: token.hash };
    }
    for (const token of tokens) {
      const suspension = await findSuspensionByToken(db, token);
      if (suspension) throw new Problem('token_invalid', { suspension });
    }
    throw new Problem('token_invalid');
  };
}
