/** The forms of a request target (RFC 9112, 3.2). */
import type { FastifyInstance } from 'fastify';
import { invalid } from '../lib/errors.ts';

/** The scheme and the authority of an absolute address. The authority may name any host, as the `Host` header may. */
const schemeAndHost = /^https?:\/\/[^/?#]+/i;

/**
 * Returns the path and the query of an absolute address, which every server must accept. Routes, the log and the pages
 * then see the same address as of any other request. Returns other targets as they are.
 */
export function originForm(target: string): string {
  const rest = target.replace(schemeAndHost, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** Refuses targets that are no path, such as `GET *` and `ftp://host/`. `OPTIONS *` asks about the server itself. */
export function registerTargetCheck(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url, method }, _reply, done) => {
    const isValid = url.startsWith('/') || (method === 'OPTIONS' && url === '*');
    done(isValid ? undefined : invalid('target', 'must be a path or an http URL'));
  });
}
