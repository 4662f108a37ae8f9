/** Where a PostgreSQL server is, in the form that the driver takes. */
import pg, { type ClientConfig } from 'pg';
import { isLoopbackHost, splitHosts } from '#base';
import { addressOf, tlsOf } from '#patches';

/** A connection URL, or the socket directory and password of the embedded database. */
export type Target =
  | string
  | { socketDir: string; port: number; user: string; password: string; database: string };

/**
 * Returns the driver's configuration for each host of `target`. A socket directory is given as
 * `postgres:///name?host=/directory`.
 */
export function clientConfigs(target: Target): [ClientConfig, ...ClientConfig[]] {
  if (typeof target !== 'string') {
    const { socketDir, ...rest } = target;
    return [{ ...rest, host: socketDir }];
  }
  const [first, ...others] = splitHosts(target);
  return [configOf(first), ...others.map(configOf)];
}

function configOf(hostUrl: string): ClientConfig {
  const url = new URL(hostUrl);
  // `sslmode` means what it means to psql and to every other libpq client; the driver has its own reading of
  // `require`.
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return { connectionString: url.href };
}

/**
 * Returns the first host of `target` that is another machine, and whose certificate and name the connection does
 * not verify. Every machine on the way to such a host can then read and change the traffic. The driver's own
 * reading of the URL and of its environment variables decides.
 * @returns null if each connection is verified, or to a socket directory or a loopback address
 */
export function findUnverifiedHost(target: Target): string | null {
  return (
    clientConfigs(target)
      .map(unverifiedHost)
      .find((host) => host !== null) ?? null
  );
}

function unverifiedHost(config: ClientConfig): string | null {
  const client = new pg.Client(config);
  const tls = tlsOf(client);
  const { host } = addressOf(client);
  const { rejectUnauthorized = true, checkServerIdentity } =
    tls === true ? {} : tls || { rejectUnauthorized: false };
  const isVerified = rejectUnauthorized && !checkServerIdentity;
  const isLocal = host.startsWith('/') || isLoopbackHost(host);
  return isVerified || isLocal ? null : host;
}
