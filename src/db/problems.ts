/** PostgreSQL's SQLSTATEs and the driver's connection errors, mapped to the catalogue in one place. */
import postgres from 'postgres';
import { Problem } from '../errors.ts';

/** Classes and codes after which the same request may well succeed: the server is away, full, or gave way to another. */
const passing = /^(08|28|3D000|53|57P0|57014|55P03|40001|40P01|25006|25P0[34])/;
/** Values that no schema caught, which PostgreSQL cannot store. */
const unstorable = new Set(['22021', '22P05', '22003', '22008', '22P02']);
const connectionLost = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTCONN',
  'EMFILE',
]);

export function databaseProblem(error: Error & { code?: string }): Problem | null {
  const code = error.code ?? '';
  if (error instanceof postgres.PostgresError) {
    if (passing.test(code)) return new Problem('unavailable');
    if (unstorable.has(code)) return new Problem('invalid_request', { detail: 'A value cannot be stored.' });
    return null;
  }
  return connectionLost.has(code) ? new Problem('unavailable') : null;
}

/** The database is away or full: whatever is tried next fails as well, and what was under way may have been done. */
export function isOutage(error: unknown): boolean {
  const code = (error as { code?: string } | null)?.code ?? '';
  return error instanceof postgres.PostgresError
    ? /^(08|28|3D000|53|57P0)/.test(code)
    : connectionLost.has(code);
}

/** True when this constraint or unique index refused the row. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof postgres.PostgresError && error.constraint_name === constraint;
}

/** Two transactions got in each other's way, and PostgreSQL ended this one: running it again is safe and right. */
export function isRetryable(error: unknown): boolean {
  return error instanceof postgres.PostgresError && (error.code === '40001' || error.code === '40P01');
}
