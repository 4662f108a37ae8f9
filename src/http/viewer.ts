/** Who is asking. Each request first learns which sessions ended or changed, so a dead token is dead at once. */
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { LiveSession } from '../auth/queries.ts';
import { parseToken, type Token } from '../auth/tokens.ts';
import { Problem } from '../errors.ts';
import type { Reads } from '../reads.ts';

export type Viewer = { id: string; sessionId: string; role: 'user' | 'admin' };

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null;
  }
}

export function registerViewer(
  app: FastifyInstance,
  { reads, clock }: { reads: Reads; clock: () => Date },
): void {
  app.decorateRequest('viewer', null);
  const lookUp = async (header: string): Promise<Viewer> => {
    const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1];
    const token = bearer ? parseToken('access', bearer) : null;
    const session = token && (await reads.session(token));
    if (!session || !isLive(session, token, clock())) throw new Problem('token_invalid');
    return { id: session.userId, sessionId: session.id, role: session.role };
  };

  app.addHook('onRoute', (options) => {
    const { method, url, config } = options;
    // Deny by default: a route that does not say who may call it does not exist.
    if (url.startsWith('/v1') && !config?.access) throw new Error(`${method} ${url} declares no access`);
    if (config?.access !== 'optional' && config?.access !== 'required') return;
    const isRequired = config.access === 'required';
    // onRequest runs before the body is read: 401 comes before 400, and strangers cost little.
    const findViewer: onRequestHookHandler = (request, _reply, done) => {
      const header = request.headers.authorization;
      if (header === undefined) return done(isRequired ? new Problem('token_missing') : undefined);
      lookUp(header).then((viewer) => {
        request.viewer = viewer;
        done();
      }, done);
    };
    options.onRequest = [findViewer, ...[options.onRequest ?? []].flat()];
  });
}

/** The ids in a token only say where to look; the hash tells whether it is the session's current one. */
const isLive = (session: LiveSession, token: Token, now: Date): boolean =>
  session.userId === token.userId && session.accessHash.equals(token.hash) && session.accessExpiresAt > now;

/** The caller of a route whose access is `required`. */
export function signedIn(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new Problem('token_missing');
  return request.viewer;
}
