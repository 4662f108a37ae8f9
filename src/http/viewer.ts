/** Who is asking: one look-up of the session on every request, with no cache between, so a dead token is dead at once. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findViewer } from '../auth/queries.ts';
import { parseToken } from '../auth/tokens.ts';
import type { Sql } from '../db/connect.ts';
import { Problem } from '../errors.ts';

export type Viewer = { id: string; sessionId: string; role: 'user' | 'admin' };

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | null;
  }
}

export function registerViewer(app: FastifyInstance, deps: { sql: Sql; clock: () => Date }): void {
  app.decorateRequest('viewer', null);
  // Deny by default: a route that does not say who may call it does not exist.
  app.addHook('onRoute', ({ method, url, config }) => {
    if (url.startsWith('/v1') && !config?.access) throw new Error(`${method} ${url} declares no access`);
  });
  // onRequest runs before the body is read: 401 comes before 400, and strangers cost little.
  app.addHook('onRequest', async (request) => {
    const access = request.routeOptions.config.access;
    if (access !== 'optional' && access !== 'required') return;
    const header = request.headers.authorization;
    if (header === undefined) {
      if (access === 'required') throw new Problem('token_missing');
      return;
    }
    const bearer = /^Bearer +([\w.~+/=-]+) *$/i.exec(header)?.[1];
    const token = bearer ? parseToken('access', bearer) : null;
    request.viewer = token && (await findViewer(deps.sql, token, deps.clock()));
    if (!request.viewer) throw new Problem('token_invalid');
  });
}

/** The caller of a route whose access is `required`. */
export function signedIn(request: FastifyRequest): Viewer {
  if (!request.viewer) throw new Problem('token_missing');
  return request.viewer;
}
