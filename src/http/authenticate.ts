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
import { browserCookieName, clearedCookie, guestCookieName, readCookies } from './browser-cookie.ts';
import { requiresToken } from './define-endpoint.ts';
import { mayReadWithCookie, refuseCrossSite } from './same-origin.ts';

type Request = Pick<FastifyRequest, 'method' | 'headers'> & { params?: unknown };
type Access = Pick<FastifyContextConfig, 'caller' | 'session'>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The person whose token or cookie the request carries; null without either. */
    caller: Caller | null;
  }
  interface FastifyInstance {
    /**
     * Finds the person whose token or cookie a request carries, as an endpoint with this access does; null without either.
     * @throws Problem `token_missing`, `token_invalid`, `account_suspended`, `guest_session` or `cross_site_request`
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

/**
 * `tokens`: without those that are malformed. A header may have several cookies with the name. `eventId`: the event of the
 * request, where guest tokens are valid for the same event alone.
 */
type Credential = {
  tokens: Token[];
  from: 'header' | 'cookie' | 'guestCookie';
  eventId: string | null;
};

/** A neighbouring subdomain can set cookies with the name over plain HTTP. Each of them may cost a statement. */
const maxCookies = 8;

export function registerAuthentication(app: FastifyInstance, services: Services): void {
  app.decorateRequest('caller', null);
  const { publicUrl } = services.config;
  const publicOrigin = new URL(publicUrl).origin;
  const readCredential = credentialReader({ publicUrl }, publicOrigin);
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
      authenticate(credential, config).then(
        (caller) => {
          request.caller = caller;
          done();
        },
        (error) => {
          const isEnded = error instanceof Problem && error.code === 'token_invalid';
          if (isEnded && credential.from !== 'header' && config.session?.clearsCookie)
            reply.header('set-cookie', cleared);
          done(error);
        },
      );
    };
}

/**
 * Returns a function that reads the credential of a request: null without one. It throws Problem `token_missing` if the
 * access requires one, or `cross_site_request`.
 */
function credentialReader(config: Pick<Config, 'publicUrl'>, publicOrigin: string) {
  const cookieName = browserCookieName(config);
  /** The cookies of the session, or else of the guest of the event. */
  const readTokens = (cookie: string, eventId: string | null) => {
    const ofSession = readCookies(cookie, cookieName);
    if (ofSession.length > 0) return { tokens: parseTokens(['browser'], ofSession), from: 'cookie' as const };
    const ofGuest = eventId === null ? [] : readCookies(cookie, guestCookieName(config, eventId));
    return ofGuest.length > 0
      ? { tokens: parseTokens(['guest'], ofGuest), from: 'guestCookie' as const }
      : null;
  };
  const read = (request: Request, eventId: string | null, ignoresGuests: boolean): Credential | null => {
    const { authorization, cookie } = request.headers;
    // No other site can make a browser send this header, so it takes precedence over a cookie.
    if (authorization !== undefined) {
      const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
      if (ignoresGuests && bearer && parseToken('guest', bearer)) return null;
      const tokens = parseTokens(['access', 'guest'], bearer ? [bearer] : []);
      return { tokens, from: 'header', eventId };
    }
    const found = cookie === undefined ? null : readTokens(cookie, eventId);
    if (!found) return null;
    if (request.method === 'GET' || request.method === 'HEAD') {
      if (!mayReadWithCookie(request)) return null;
    } else {
      const refusal = refuseCrossSite(request, publicOrigin);
      if (refusal) throw refusal;
    }
    return { tokens: found.tokens.slice(0, maxCookies), from: found.from, eventId };
  };
  return (request: Request, { caller, session }: Access): Credential | null => {
    const eventId = session?.guests === 'ofEvent' ? eventOf(request.params) : null;
    const credential = caller === 'none' ? null : read(request, eventId, session?.guests === 'ignored');
    if (!credential && caller && requiresToken(caller)) throw new Problem('token_missing');
    return credential;
  };
}

const parseTokens = (kinds: ('access' | 'browser' | 'guest')[], values: string[]): Token[] =>
  values.flatMap((value) => kinds.map((kind) => parseToken(kind, value)).filter((token) => token !== null));

/** The event of a path with `:id`, which is the id of the event, or of an item: that of its event, a full stop, a number. */
function eventOf(params: unknown): string | null {
  const { id } = (params ?? {}) as { id?: unknown };
  return typeof id === 'string' ? (id.split('.', 1)[0] ?? '').toLowerCase() : null;
}

/**
 * Returns a function that verifies a credential: the first token with a live session counts. It throws Problem
 * `token_invalid`, `account_suspended` or `guest_session`.
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

  return async (
    { tokens, from, eventId }: Credential,
    { caller, session: rules }: Access,
  ): Promise<Caller | null> => {
    const now = clock();
    const isCookie = from !== 'header';
    const mayUseCache = caller === 'lockedByWrite';
    for (const token of tokens) {
      const session = await findLive(token, now, isCookie, mayUseCache);
      if (!session) continue;
      if (session.isSuspended && !rules?.allowsSuspended) {
        const suspension = await findSuspension(db, session.userId);
        throw new Problem('account_suspended', { suspension });
      }
      if (session.eventId !== null && rules?.guests !== 'any' && session.eventId !== eventId)
        throw new Problem('guest_session');
      if (isCookie) renewals.start(session, now);
      const { userId: id, role, id: sessionId, hasAccount } = session;
      return { id, role, sessionId, accessHash: token.hash, hasAccount, eventId: session.eventId };
    }
    // The browser keeps the cookie of a guest who is gone: reading works as without it.
    if (from === 'guestCookie' && caller === 'optional') return null;
    for (const token of tokens) {
      const suspension = await findSuspensionByToken(db, token);
      if (suspension) throw new Problem('token_invalid', { suspension });
    }
    throw new Problem('token_invalid');
  };
}
