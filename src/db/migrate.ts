/** Plain SQL migrations, forward only; any number of servers may start at once. */

import path from 'node:path';
import Postgrator from 'postgrator';
import type { Database } from './client.ts';
import { type Connection, openConnection, transactionOn } from './connection.ts';
import type { Queryable } from './query.ts';
import { one } from './query.ts';
import { sql } from './sql.ts';
import type { Target } from './target.ts';

// The directory's own name may hold what a pattern reads as more than itself, such as [ and (.
const directory = path.join(import.meta.dirname, 'migrations').replace(/[*?[\]{}()!+@\\]/g, '\\$&');
const options = {
  driver: 'pg',
  migrationPattern: `${directory}/*.do.*.sql`,
  schemaTable: 'schema_version',
  // A checkout with other line ends is the same migration.
  newline: 'LF',
} as const;
/** Any number that nothing else locks with. */
const migrationLock = 7_305_114;

/** Why this database cannot be brought to this version: for the operator, in a line. */
export class MigrationError extends Error {}

/**
 * Brings the database to the newest version, wholly or not at all: it is one transaction.
 * @returns the names of the migrations that it ran
 * @throws MigrationError for a database that this version cannot work with
 */
export async function migrate(target: Target, signal?: AbortSignal): Promise<string[]> {
  const connection = await openConnection(target, 'migration');
  const abort = () => connection.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await transactionOn(connection, () => migrateIn(connection));
  } finally {
    signal?.removeEventListener('abort', abort);
    await connection.end();
  }
}

/**
 * The same as a part of a transaction.
 * @param version default: the newest
 */
export async function migrateIn(connection: Connection, version?: number): Promise<string[]> {
  await refuseUnfit(connection);
  // The second server waits here, then finds nothing left to do.
  await connection.query(sql`select pg_advisory_xact_lock(${migrationLock})`);
  const runner = new Postgrator({ ...options, execQuery: (query) => connection.client.query(query) });
  const done = await runner.migrate(version === undefined ? undefined : `${version}`).catch(namedTrouble);
  await refuseNewer(connection);
  return done.map((migration) => `${migration.version} ${migration.name}`);
}

function namedTrouble(error: Error): never {
  if (!error.message.startsWith('MD5 checksum failed')) throw error;
  throw new MigrationError(`one of the migrations that ran in it is another one here (${error.message})`);
}

async function refuseUnfit(connection: Queryable): Promise<void> {
  const row = one(
    await connection.query<{ version: number; encoding: string }>(sql`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding`),
  );
  if (row.version < 150_000) throw new MigrationError('it is older than PostgreSQL 15');
  if (row.encoding !== 'UTF8') throw new MigrationError(`its encoding is ${row.encoding}; it must be UTF8`);
}

async function refuseNewer(db: Queryable): Promise<void> {
  if ((await versionOf(db)) > (await newestVersion())) {
    throw new MigrationError('a newer version of Potluck has been at work in it; start that one');
  }
}

/** True when every migration of this version of Potluck has run; those of a newer one beside it do no harm. */
export async function isMigrated(db: Database): Promise<boolean> {
  newest ??= newestVersion();
  return (await versionOf(db)) >= (await newest);
}

let newest: Promise<number> | undefined;

/** The newest migration that ran in it; 0 for a database that is none of ours. */
export async function versionOf(db: Queryable): Promise<number> {
  const [table] = await db.query(sql`select to_regclass('schema_version') as name`);
  if (!table?.name) return 0;
  const [row] = await db.query<{ version: number }>(
    sql`select max(version)::int as version from schema_version`,
  );
  return row?.version ?? 0;
}

/** The newest migration there is. */
export async function newestVersion(): Promise<number> {
  const migrations = await new Postgrator(options).getMigrations();
  return Math.max(...migrations.map((migration) => migration.version));
}
