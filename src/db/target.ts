/** Where a PostgreSQL server is, in the form that the driver takes. */
import type { ClientConfig } from 'pg';

/** A connection URL, or the socket directory and password of the embedded database. */
export type Target =
  | string
  | { socketDir: string; port: number; user: string; password: string; database: string };

/**
 * Returns the driver's configuration for `target`. A socket directory is given as
 * `postgres:///name?host=/directory`.
 */
export function clientConfig(target: Target): ClientConfig {
  if (typeof target !== 'string') {
    const { socketDir, ...rest } = target;
    return { ...rest, host: socketDir };
  }
  const url = new URL(target);
  // `sslmode` means what it means to psql and to every other libpq client; the driver has its own reading of
  // `require`.
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return { connectionString: url.href };
}
