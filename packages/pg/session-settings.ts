/** The settings of the server's connections, and whether they are in effect: PgBouncer does not pass them on. */
import { patient } from '#base';
import type { Queryable } from './queryable.ts';
import { sql } from './sql.ts';

/** In ms. */
export const sessionLimits = {
  statement_timeout: 5_000,
  lock_timeout: 4_000,
  idle_in_transaction_session_timeout: 10_000,
};

/** The limits of a new connection. */
export const patientLimits = (): Record<string, number> =>
  Object.fromEntries(Object.entries(sessionLimits).map(([name, ms]) => [name, patient(ms)]));

/** PostgreSQL's names, units (ms) and values. */
const expected: Record<string, string> = {
  ...Object.fromEntries(Object.entries(sessionLimits).map(([name, ms]) => [name, `${ms}`])),
  TimeZone: 'UTC',
  jit: 'off',
};

/** Returns the settings that are not in effect, with their values. A shorter time limit than expected is in effect. */
export async function listMissingSettings(db: Queryable): Promise<{ name: string; value: string }[]> {
  const rows = await db.query<{ name: string; setting: string }>(
    sql`select name, setting from pg_settings where name = any(${Object.keys(expected)}::text[]) order by name`,
  );
  return rows
    .map(({ name, setting }) => ({ name, setting, value: expected[name] ?? setting }))
    .filter(({ name, setting, value }) =>
      name in sessionLimits
        ? Number(setting) === 0 || Number(setting) > patient(Number(value))
        : setting !== value,
    )
    .map(({ name, value }) => ({ name, value: name in sessionLimits ? `${Number(value) / 1_000}s` : value }));
}
