/** Plain SQL migrations, forward only. Any number of servers may run them at the same time. */
import path from 'node:path';
import Postgrator from 'postgrator';
import type { Database } from './client.ts';
import { type Connection, openConnection, transactionOn } from './connection.ts';
import { distributeTables, isDistributed, listTablesToDistribute, setSequential } from './distribute.ts';
import { AdvisoryLock } from './locks.ts';
import { one, type Queryable } from './query.ts';
import { splitStatements } from './split-statements.ts';
import { sql } from './sql.ts';
import type { Target } from './target.ts';

// The path of the installation may contain characters that have a meaning in a glob pattern, such as [ and (.
const directory = path.join(import.meta.dirname, 'migrations').replace(/[*?[\]{}()!+@\\]/g, '\\$&');
const options = {
  driver: 'pg',
  migrationPattern: `${directory}/*.do.*.sql`,
  schemaTable: 'schema_version',
  // Checksums are computed with LF line endings, so that a checkout with CRLF has the same ones.
  newline: 'LF',
} as const;

/** The reason why this database cannot be migrated to this version, as one line for the operator. */
export class MigrationError extends Error {}

/**
 * Migrates the database to the newest version in one transaction.
 * @param signal closes the connection; PostgreSQL then rolls the transaction back
 * @returns the names of the migrations that ran
 * @throws MigrationError for a database that this version cannot use
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
 * Runs the migrations inside the transaction of the connection. In a distributed database, distributes the tables that
 * they create.
 * @param version the version to migrate to; default: the newest
 * @returns the names of the migrations that ran
 * @throws MigrationError for a database that this version cannot use
 */
export async function migrateIn(connection: Connection, version?: number): Promise<string[]> {
  await refuseUnfit(connection);
  // A second server waits here; after that all migrations have run.
  await connection.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.migration})`);
  await setSequential(connection);
  const runner = new Postgrator({ ...options, execQuery: (text) => runStatements(connection, text) });
  const done = await runner.migrate(version === undefined ? undefined : `${version}`).catch(explainChecksum);
  await refuseNewer(connection);
  if (done.length > 0 && (await isDistributed(connection)))
    await distributeTables(connection, await listTablesToDistribute(connection));
  return done.map((migration) => `${migration.version} ${migration.name}`);
}

/**
 * Runs the statements one after the other, and returns the result of the last one. Citus passes the text of a message on
 * to the nodes, which accept a single statement.
 */
async function runStatements({ client }: Connection, text: string): Promise<{ rows: unknown[] }> {
  let result: { rows: unknown[] } = { rows: [] };
  for (const statement of splitStatements(text)) result = await client.query(statement);
  return result;
}

function explainChecksum(error: Error): never {
  if (!error.message.startsWith('MD5 checksum failed')) throw error;
  throw new MigrationError(`one of its migrations differs from the file of this version (${error.message})`);
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
  const [version, newest] = [await versionOf(db), await newestVersion()];
  if (version <= newest) return;
  throw new MigrationError(
    `it is at migration ${version}, and this Potluck has migrations up to ${newest} only; update it first`,
  );
}

/**
 * Returns true if all migrations of this version have run. Further migrations of a newer version do not
 * matter.
 */
export async function isMigrated(db: Database): Promise<boolean> {
  newest ??= newestVersion();
  return (await versionOf(db)) >= (await newest);
}

let newest: Promise<number> | undefined;

/** The number of the newest migration that has run; 0 for a database without Potluck's tables. */
export async function versionOf(db: Queryable): Promise<number> {
  const [table] = await db.query(sql`select to_regclass('schema_version') as name`);
  if (!table?.name) return 0;
  const [row] = await db.query<{ version: number }>(
    sql`select max(version)::int as version from schema_version`,
  );
  return row?.version ?? 0;
}

/** The number of the newest migration of this version of Potluck. */
export async function newestVersion(): Promise<number> {
  const migrations = await new Postgrator(options).getMigrations();
  return Math.max(...migrations.map((migration) => migration.version));
}
