/**
 * Distinguishes requests of this server's own pages from those that other sites make a browser send
 * (cross-site request forgery). Only requests that a cookie authenticates, or that set one, need this:
 * browsers attach cookies by themselves, but no access token.
 */
import type { FastifyRequest } from 'fastify';
import { Problem } from '../lib/errors.ts';
import { parseAddress } from '../lib/user-texts/parse-address.ts';

type Request = Pick<FastifyRequest, 'headers'>;

/**
 * Whether a cookie may authenticate a GET or HEAD. Browsers send no `Sec-Fetch-Site` over plain HTTP to
 * another machine, and no `Origin` with a GET; the requests change nothing, and CORS lets no other site read
 * their responses.
 */
export function mayReadWithCookie({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/**
 * Checks that a page of this server sent a request that changes something. A browser that sends
 * `Sec-Fetch-Site` knows best; `Origin` decides without it. The header `Host` proves nothing: a name that
 * resolves to this server may belong to another site.
 * @param publicOrigin the origin of `PUBLIC_URL`
 * @returns the refusal, or null
 */
export function refuseCrossSite({ headers }: Request, publicOrigin: string): Problem | null {
  const site = headers['sec-fetch-site'];
  const isOwnPage = site === undefined ? headers.origin === publicOrigin : site === 'same-origin';
  if (isOwnPage) return null;
  return new Problem('cross_site_request', {
    detail: `No page of ${publicOrigin} sent this request: ${describeSender(headers)}. Use the app at that address, or send an access token.`,
  });
}

/** What the server received, for operators whose proxy or `PUBLIC_URL` is wrong. It repeats values of browsers only. */
function describeSender({ origin = '', 'sec-fetch-site': site }: Request['headers']): string {
  const isOrigin = origin.length <= 200 && parseAddress(origin)?.origin === origin;
  const parts = [
    origin === '' ? 'it has no Origin' : `its Origin is ${isOrigin ? origin : 'no address'}`,
    ...(typeof site === 'string' && /^[a-z-]{1,20}$/.test(site) ? [`its Sec-Fetch-Site is ${site}`] : []),
  ];
  return parts.join(', and ');
}
