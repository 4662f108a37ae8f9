/** Authenticates requests by their access token. A revoked token is invalid immediately on every server. */
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { Caller } from '../identity/caller.ts';
import type { SessionCache } from '../identity/session-cache.ts';
import { isLive, type LiveSession } from '../identity/sessions.ts';
import { parseToken } from '../identity/tokens.ts';
import { Problem } from '../lib/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The person whose token the request carries; null without a token. */
    caller: Caller | null;
  }
}

type Verification = {
  /** The statement of the route verifies session and role itself, so a cached session is sufficient. */
  verifiesCaller?: true;
  allowsSuspended?: true;
};

export function registerAuthentication(
  app: FastifyInstance,
  { sessions, clock }: { sessions: SessionCache; clock: () => Date },
): void {
  app.decorateRequest('caller', null);
  const authenticate = async (
    header: string,
    { verifiesCaller: mayUseCache, allowsSuspended }: Verification,
  ): Promise<Caller> => {
    const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1];
    const token = bearer ? parseToken('access', bearer) : null;
    if (!token) throw new Problem('token_invalid');
    const live = (session: LiveSession | null) =>
      session && isLive(session, token, clock()) ? session : null;
    const cached = mayUseCache ? live(await sessions.findCached(token)) : null;
    // A session that is cached as suspended may have ended with the suspension.
    const session = cached && !cached.isSuspended ? cached : live(await sessions.find(token));
    if (!session) throw new Problem('token_invalid');
    if (session.isSuspended && !allowsSuspended) throw new Problem('account_suspended');
    const { userId: id, role, id: sessionId } = session;
    return { id, role, sessionId, accessHash: token.hash };
  };

  app.addHook('onRoute', (options) => {
    const { method, url, config } = options;
    // Deny by default: the app does not start with a route that declares no access.
    if (url.startsWith('/v1') && !config?.access) throw new Error(`${method} ${url} declares no access`);
    if (config?.access !== 'optional' && config?.access !== 'required') return;
    const isRequired = config.access === 'required';
    // onRequest runs before the body is read, so a 401 precedes a 400 and needs few resources.
    const findCaller: onRequestHookHandler = (request, _reply, done) => {
      const header = request.headers.authorization;
      if (header === undefined) return done(isRequired ? new Problem('token_missing') : undefined);
      authenticate(header, config).then((caller) => {
        request.caller = caller;
        done();
      }, done);
    };
    options.onRequest = [findCaller, ...[options.onRequest ?? []].flat()];
  });
}
