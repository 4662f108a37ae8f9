/** DATABASE_URL in the form that libpq gives it: it may name several hosts, and which of them to use. */

const parts = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;

/**
 * Returns a URL for each host of `postgres://user:password@first:5432,second:5432/name`; `url` itself if it names one
 * host.
 */
export function splitHosts(url: string): [string, ...string[]] {
  const [, start = '', hosts = '', rest = ''] = parts.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => `${start}${host}${rest}`);
  return first === undefined || others.length === 0 ? [url] : [first, ...others];
}

/**
 * The meaning of libpq: `any` accepts a standby, `primary` does not, and `read-write` accepts no database either whose
 * transactions are read-only by default.
 */
export const sessionAttributes = ['any', 'primary', 'read-write'] as const;
export type SessionAttributes = (typeof sessionAttributes)[number];

/** As libpq has them; docs/operating.md says which of them protect a connection. */
export const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** Returns the value of a parameter of the URL, which need not be valid, or null if the URL has none. */
export const readParameter = (url: string, name: string): string | null =>
  new URL(splitHosts(url)[0]).searchParams.get(name);

/** Returns the URL with permission to use a standby, unless it says what it wants. @param url of one host */
export function allowStandby(url: string): string {
  const allowed = new URL(url);
  if (!allowed.searchParams.has('target_session_attrs'))
    allowed.searchParams.set('target_session_attrs', 'any');
  return allowed.href;
}
