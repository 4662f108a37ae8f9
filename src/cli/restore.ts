/** `restore FILE`: loads a backup into an empty database, in one transaction. */
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Connection, openConnection, transactionOn } from '../db/connection.ts';
import { migrateIn, newestVersion, versionOf } from '../db/migrate.ts';
import { raw, sql } from '../db/sql.ts';
import type { Target } from '../db/target.ts';
import type { Config } from '../lib/config.ts';
import {
  addDroppedColumns,
  convertRows,
  isOfDevelopment,
  refuseOldDevelopment,
  schemaOf,
} from './backup/development-backup.ts';
import {
  type BackupHeader,
  type BackupParts,
  type BackupSummary,
  copyStatement,
  quoteIdentifier,
  readBackup,
  type TableColumns,
} from './backup/file-format.ts';
import {
  filledByMigrations,
  listTables,
  lockTables,
  setBackupSettings,
  type TableInfo,
} from './backup/tables.ts';
import { withDatabase } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { startProgressBar } from './command/progress-bar.ts';
import { stopSignal } from './command/stop.ts';

export async function restoreCommand(config: Config, rest: string[]): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0) throw new CommandError('Usage: restore FILE');
  const stop = stopSignal();
  // The check comes first, so a damaged file does not leave a new, empty embedded database behind.
  await checkBackup(file, stop);
  await withDatabase(config, { stop }, async (target) => {
    const { rows } = await restoreBackup(target, file, stop);
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    console.log(`${file}: ${total} rows of ${Object.keys(rows).length} tables were restored.`);
  });
}

/**
 * Reads a whole backup without restoring it.
 * @throws CommandError if the file is not a backup, is damaged, or is of a newer version
 */
export async function checkBackup(file: string, signal?: AbortSignal): Promise<void> {
  const check = async (parts: BackupParts) => {
    for await (const part of parts) if ('header' in part) await refuseUnknown(part.header);
  };
  await readWithProgress(file, 'checking ', check, signal);
}

async function readWithProgress(
  file: string,
  action: string,
  read: (parts: BackupParts) => Promise<void>,
  signal?: AbortSignal,
): Promise<BackupSummary> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  using bar = startProgressBar(`${action} {bar} {percentage} %`, Math.max(size, 1));
  return await readBackup(file, read, (bytes) => bar.update(bytes), signal);
}

/** @throws CommandError if the backup has a migration that this version does not know */
async function refuseUnknown(header: BackupHeader): Promise<void> {
  if (isOfDevelopment(header)) return refuseOldDevelopment(header);
  const { schema, potluck } = header;
  const newest = await newestVersion();
  if (schema <= newest) return;
  throw new CommandError(
    `The backup is at migration ${schema} and was made by Potluck ${potluck}. ` +
      `This Potluck has migrations up to ${newest} only: update it first.`,
  );
}

/**
 * Restores a backup in one transaction: migrates to the version of the backup, loads the rows, then applies
 * newer migrations.
 * @throws CommandError if the database is not empty, or a table, column or row does not fit the database
 */
export async function restoreBackup(
  target: Target,
  file: string,
  signal?: AbortSignal,
): Promise<BackupSummary> {
  const connection = await openConnection(target, 'restore');
  try {
    const summary = await transactionOn(connection, async () => {
      await setBackupSettings(connection);
      const load = (parts: BackupParts) => loadBackup(connection, parts);
      const restored = await readWithProgress(file, 'restoring', load, signal);
      await migrateIn(connection);
      return restored;
    });
    await connection.query(sql`analyze`);
    return summary;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    connection.destroy();
  }
}

/** Loads the rows into the tables of the database. The SQL in the file is never executed. */
async function loadBackup(connection: Connection, parts: BackupParts): Promise<void> {
  let ofDevelopment = false;
  let tables: TableInfo[] = [];
  for await (const part of parts) {
    if ('header' in part) {
      await refuseUnknown(part.header);
      ofDevelopment = isOfDevelopment(part.header);
      tables = await prepareTables(connection, part.header);
    } else if ('table' in part && part.table) {
      refuseUnfitting(part.table, tables);
      await loadRows(connection, part.table, parts);
    }
  }
  if (ofDevelopment) await convertRows(connection);
}

function refuseUnfitting(table: TableColumns, tables: TableInfo[]): void {
  const existing = tables.find(({ name }) => name === table.name);
  const unknown = table.columns.find((column) => !existing?.columns.includes(column));
  if (existing && !unknown) return;
  const what = existing ? `column ${table.name}.${unknown}` : `table ${table.name}`;
  throw new CommandError(`The backup has an unknown ${what}. Nothing was restored.`);
}

/** @param parts the next ones are the rows of the table */
async function loadRows(connection: Connection, table: TableColumns, parts: BackupParts): Promise<void> {
  async function* rows() {
    for (;;) {
      const next = await parts.next();
      if (next.done || !('rows' in next.value)) return;
      yield next.value.rows;
    }
  }
  try {
    await pipeline(rows, connection.client.query(copyFrom(copyStatement(table))));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw new CommandError(
      `The rows of ${table.name} do not fit the database: ${error.message}. Nothing was restored.`,
    );
  }
}

/** Migrates to the version of the backup and locks the tables. @throws CommandError if a table has rows */
async function prepareTables(connection: Connection, header: BackupHeader): Promise<TableInfo[]> {
  const schema = schemaOf(header);
  const version = await versionOf(connection);
  if (version > schema) {
    throw new CommandError(
      `The database has a newer version (${version}) than the backup (${schema}): restore into a new database, which is then migrated.`,
    );
  }
  await migrateIn(connection, schema);
  if (isOfDevelopment(header)) await addDroppedColumns(connection);
  const tables = await listTables(connection);
  await lockTables(connection, tables, 'exclusive');
  for (const { name } of tables) {
    if (filledByMigrations.has(name)) await connection.query(raw(`delete from ${quoteIdentifier(name)}`));
    const [row] = await connection.query(
      raw(`select exists (select 1 from ${quoteIdentifier(name)}) as found`),
    );
    if (row?.found) {
      throw new CommandError(
        `The database is not empty: there are rows in ${name}. Restore into a new database.`,
      );
    }
  }
  return tables;
}
