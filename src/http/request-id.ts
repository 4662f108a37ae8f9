/** The id by which the client, the log and the problem body name one request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const accepted = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Takes the id from `X-Request-Id` if it is well formed, so that a proxy's log and this one agree; generates
 * one otherwise. `randomUUID` takes about 35 ns, since it draws from a buffer of random bytes; a counter
 * would tell clients how many requests the server receives.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && accepted.test(given) ? given : randomUUID();
}
