/** Plain SQL migrations, forward only. Any number of servers may run them at the same time. */
import { hash } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { lazily } from '#base';
import {
  type Connection,
  type Database,
  isDistributed,
  one,
  openConnection,
  type Queryable,
  sql,
  type Target,
  transactionOn,
} from '#pg';
import { distributeTables, listTablesToDistribute } from './distribute.ts';
import { AdvisoryLock } from './locks.ts';
import { migrationCode } from './migration-code.ts';
import { splitStatements } from './split-statements.ts';

const directory = path.join(import.meta.dirname, 'migrations');

/** A file `NNNN.do.NAME.sql`. */
export type Migration = { version: number; name: string; file: string };

/** The reason why this database cannot be migrated to this version, as one line for the operator. */
export class MigrationError extends Error {}

/** Runs once before `next`, the first of several migrations of a database with tables. An error prevents them. */
export type BeforeMigration = (db: Queryable, next: Migration) => Promise<void>;

/**
 * Migrates the database to the newest version in one transaction.
 * @param signal closes the connection; PostgreSQL then rolls the transaction back
 * @param before no other process migrates meanwhile
 * @returns the names of the migrations that ran
 * @throws MigrationError for a database that this version cannot use
 */
export async function migrate(
  target: Target,
  signal?: AbortSignal,
  before?: BeforeMigration,
): Promise<string[]> {
  const connection = await openConnection(target, 'migration');
  using _ = signal && addAbortListener(signal, () => connection.destroy());
  try {
    return await transactionOn(connection, () => migrateIn(connection, undefined, before));
  } finally {
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
export async function migrateIn(
  connection: Connection,
  version?: number,
  before?: BeforeMigration,
): Promise<string[]> {
  await refuseUnfit(connection);
  // A second server waits here; after that all migrations have run.
  await connection.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.migration})`);
  // Citus then lets the statements that change distributed tables follow each other. PostgreSQL ignores the setting.
  await connection.query(sql`set local citus.multi_shard_modify_mode = 'sequential'`);
  const done = await runMigrations(connection, version ?? (await newestVersion()), before);
  await refuseNewer(connection);
  if (done.length > 0 && (await isDistributed(connection)))
    await distributeTables(connection, await listTablesToDistribute(connection));
  return done.map(({ version, name }) => `${version} ${name}`);
}

/**
 * Runs the statements one after the other. Citus passes the text of a message on to the nodes, which accept a single
 * statement.
 */
async function runStatements({ client }: Connection, text: string): Promise<void> {
  for (const statement of splitStatements(text)) await client.query(statement);
}

/**
 * Runs the migrations up to this version that have not run, in their order.
 * @throws MigrationError if the file of one that has run was changed since
 */
async function runMigrations(
  connection: Connection,
  version: number,
  before?: BeforeMigration,
): Promise<Migration[]> {
  await connection.query(sql`create table if not exists schema_version
    (version bigint primary key, name text, md5 text, run_at timestamptz)`);
  const current = await versionOf(connection);
  await refuseChanged(connection);
  const pending = (await listMigrations()).filter(
    (each) => each.version > current && each.version <= version,
  );
  const [next] = pending;
  if (current > 0 && next) await before?.(connection, next);
  for (const migration of pending) {
    const { text, md5 } = await readMigration(migration);
    await runStatements(connection, text);
    await migrationCode[migration.version]?.(connection);
    await connection.query(sql`insert into schema_version (version, name, md5, run_at)
      values (${migration.version}, ${migration.name}, ${md5}, now())`);
  }
  return pending;
}

async function readMigration({ file }: Migration): Promise<{ text: string; md5: string }> {
  const text = await readFile(path.join(directory, file), 'utf8');
  // Checksums are computed with LF line endings, so that a checkout with CRLF has the same ones.
  return { text, md5: hash('md5', text.replace(/\r\n|\r/g, '\n')) };
}

/** @throws MigrationError if the file of a migration that has run was changed since */
export async function refuseChanged(db: Queryable): Promise<void> {
  const rows = await db.query<{ version: number; md5: string | null }>(
    sql`select version::int, md5 from schema_version`,
  );
  const checksums = new Map(rows.map((row) => [row.version, row.md5]));
  for (const migration of await listMigrations()) {
    const { md5 } = await readMigration(migration);
    if (md5 === (checksums.get(migration.version) ?? md5)) continue;
    throw new MigrationError(`one of its migrations differs from the file ${migration.file} of this version`);
  }
}

/** The migrations of this version of Potluck, in their order. */
async function listMigrations(): Promise<Migration[]> {
  const files = (await readdir(directory)).sort();
  return files.flatMap((file) => {
    const [, version, name] = /^(\d{4})\.do\.(.+)\.sql$/.exec(file) ?? [];
    return version && name ? [{ version: Number(version), name, file }] : [];
  });
}

/** @throws MigrationError for a version or an encoding of PostgreSQL that Potluck cannot use */
export async function refuseUnfit(db: Queryable): Promise<void> {
  const row = one(
    await db.query<{ version: number; encoding: string }>(sql`
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
  return (await versionOf(db)) >= (await newestVersion());
}

/**
 * The number of the newest migration that has run; 0 for a database without Potluck's tables.
 * @throws MigrationError for a database of a development version, whose migrations had other numbers
 */
export async function versionOf(db: Queryable): Promise<number> {
  const [table] = await db.query(sql`select to_regclass('schema_version') as name`);
  if (!table?.name) return 0;
  const [row] = await db.query<{ version: number; isOfDevelopment: boolean }>(sql`
    select max(version)::int as version, bool_or(version = 1 and name = 'people') as is_of_development
    from schema_version`);
  if (row?.isOfDevelopment) {
    throw new MigrationError(
      `it was made by a development version of Potluck (migration ${row.version}); restore a backup of it into a new ` +
        'database: see "Databases of development versions" in docs/operating.md',
    );
  }
  return row?.version ?? 0;
}

/** The number of the newest migration of this version of Potluck. */
export const newestVersion = lazily(async () => (await listMigrations()).at(-1)?.version ?? 0);
