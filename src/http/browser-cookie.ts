/** The cookies of a browser: the token of its session, those of guests without an account, that of the device, and the last way to sign in. Scripts cannot read them. */
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Settings } from '../instance/settings.ts';
import type { ContactKind } from '../lib/contact.ts';

type CookieConfig = Pick<Config, 'publicUrl'>;

/**
 * With https, the prefix `__Host-` makes browsers refuse the cookie from subdomains and over plain HTTP.
 * Browsers share cookies between the ports of a host, so the name has the port: two servers on one machine do
 * not overwrite each other's cookie.
 */
export function browserCookieName({ publicUrl }: CookieConfig): string {
  const { protocol, port } = new URL(publicUrl);
  return protocol === 'https:' ? '__Host-potluck' : `potluck-${port || '80'}`;
}

/** The cookie with the token of a guest without an account, one for each event. @param eventId in small letters */
export const guestCookieName = (config: CookieConfig, eventId: string): string =>
  `${browserCookieName(config).replace('potluck', 'potluck-guest')}-${eventId}`;

/** The cookie with the token by which the limits on codes recognize a device (modules/accounts/codes/device-tokens.ts). */
export const deviceCookieName = (config: CookieConfig): string =>
  browserCookieName(config).replace('potluck', 'potluck-device');

/** The cookie with the kind of contact with which a browser has last signed in: pages offer it first. */
const wayCookieName = (config: CookieConfig): string =>
  browserCookieName(config).replace('potluck', 'potluck-way');

export const wayCookie = (config: CookieConfig, kind: ContactKind, maxAgeMs: number): string =>
  setCookie(config, wayCookieName(config), kind, maxAgeMs);

/** The ways to sign in, the last used one first. @param header the header `Cookie` */
export function orderedWays(
  config: CookieConfig,
  { signIn }: Pick<Settings, 'signIn'>,
  header = '',
): ContactKind[] {
  const [last] = readCookies(header, wayCookieName(config));
  return signIn.toSorted((a, b) => Number(b === last) - Number(a === last));
}

/** Returns the values of the cookies with the name, in the order of the header. */
export const readCookies = (header: string, name: string): string[] =>
  header.split(';').flatMap((pair) => parseCookie(pair, { decode: (value) => value })[name] ?? []);

/** @param maxAgeMs the latest end of the session; the server decides when it ends before that */
export const sessionCookie = (config: CookieConfig, token: string, maxAgeMs: number): string =>
  setCookie(config, browserCookieName(config), token, maxAgeMs);

export const deviceCookie = (config: CookieConfig, token: string, maxAgeMs: number): string =>
  setCookie(config, deviceCookieName(config), token, maxAgeMs);

/** A `Set-Cookie` that removes the cookie. */
export const clearedCookie = (config: CookieConfig): string =>
  setCookie(config, browserCookieName(config), '', 0);

/**
 * The headers of a response that ends the session of an authenticated request: they remove the cookie if the
 * request was authenticated by it. An access token takes precedence over a cookie.
 */
export const signedOutHeaders = (
  { headers }: Pick<FastifyRequest, 'headers'>,
  config: CookieConfig,
): Record<string, string> =>
  headers.authorization === undefined ? { 'set-cookie': clearedCookie(config) } : {};

/** @param maxAgeMs 0 removes the cookie */
export const setCookie = (
  { publicUrl }: CookieConfig,
  name: string,
  value: string,
  maxAgeMs: number,
): string =>
  stringifySetCookie({
    name,
    value,
    path: '/',
    maxAge: Math.floor(maxAgeMs / 1000),
    httpOnly: true,
    secure: publicUrl.startsWith('https:'),
    sameSite: 'lax',
  });
