/** What the server reads of a request before it has a route: its id, and its target (RFC 9112, 3.2). */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { invalid } from '../lib/errors.ts';

const accepted = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * The id by which the client, the log and the problem body name one request.
 * Takes it from `X-Request-Id` if it is well formed, so that a proxy's log and this one agree; generates
 * one otherwise. `randomUUID` takes about 35 ns, since it draws from a buffer of random bytes; a counter
 * would tell clients how many requests the server receives.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && accepted.test(given) ? given : randomUUID();
}

/** The scheme and the authority of an absolute address. The authority may name any host, as the `Host` header may. */
const schemeAndHost = /^https?:\/\/[^/?#]+/i;

/**
 * Returns the path and the query of an absolute address, which every server must accept. Routes, the log and the pages
 * then see the same address as of any other request. Returns other targets as they are.
 */
function originForm(target: string): string {
  const rest = target.replace(schemeAndHost, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/** Gives the router a path that it can read, of any target. */
export const rewriteUrl = ({ url }: IncomingMessage): string => readablePath(originForm(url ?? '/'));

/** Refuses targets that are no path, such as `GET *` and `ftp://host/`. `OPTIONS *` asks about the server itself. */
export function registerTargetCheck(app: FastifyInstance): void {
  app.addHook('onRequest', ({ url, method }, _reply, done) => {
    const isValid = url.startsWith('/') || (method === 'OPTIONS' && url === '*');
    done(isValid ? undefined : invalid('target', 'must be a path or an http URL'));
  });
}

/** Escapes the `%` of a path with invalid percent-encoding, so that the router treats it as an unknown id. */
function readablePath(url: string): string {
  const [path = '', ...query] = url.split('?');
  return isDecodable(path) ? url : [path.replaceAll('%', '%25'), ...query].join('?');
}

export function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
