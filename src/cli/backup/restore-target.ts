/** The database that a backup is restored into: it must have no rows, and no newer schema than the backup. */
import { type Connection, type Queryable, raw } from '#pg';
import { migrateIn, newestVersion, versionOf } from '../../schema/migrate.ts';
import { CommandError } from '../command/command-error.ts';
import { addDroppedColumns, isOfDevelopment, refuseOldDevelopment, schemaOf } from './development-backup.ts';
import { type BackupHeader, quoteIdentifier } from './file-format.ts';
import { filledByMigrations, listTables, lockTables, type TableInfo } from './tables.ts';

/** @throws CommandError if the backup has a migration that this version does not know */
export async function refuseUnknown(header: BackupHeader): Promise<void> {
  if (isOfDevelopment(header)) return refuseOldDevelopment(header);
  const { schema, potluck } = header;
  const newest = await newestVersion();
  if (schema <= newest) return;
  throw new CommandError(
    `The backup is at migration ${schema} and was made by Potluck ${potluck}. ` +
      `This Potluck has migrations up to ${newest} only: update it first.`,
  );
}

/** Returns the number of the last migration of the database. @throws CommandError if the backup does not fit it */
export async function refuseNewer(db: Queryable, header: BackupHeader): Promise<number> {
  const schema = schemaOf(header);
  const version = await versionOf(db);
  if (version <= schema) return version;
  throw new CommandError(
    `The database has a newer version (${version}) than the backup (${schema}): restore into a new database, which is then migrated.`,
  );
}

/** @throws CommandError if a table has rows that no migration wrote */
export async function refuseRows(db: Queryable, tables: TableInfo[]): Promise<void> {
  for (const { name } of tables) {
    if (filledByMigrations.has(name)) continue;
    const [row] = await db.query(raw(`select exists (select 1 from ${quoteIdentifier(name)}) as found`));
    if (row?.found) {
      throw new CommandError(
        `The database is not empty: there are rows in ${name}. Restore into a new database.`,
      );
    }
  }
}

/** Migrates to the version of the backup and locks the tables. @throws CommandError as the other functions */
export async function prepareTables(connection: Connection, header: BackupHeader): Promise<TableInfo[]> {
  await refuseNewer(connection, header);
  await migrateIn(connection, schemaOf(header));
  if (isOfDevelopment(header)) await addDroppedColumns(connection);
  const tables = await listTables(connection);
  await lockTables(connection, tables, 'exclusive');
  await refuseRows(connection, tables);
  for (const { name } of tables)
    if (filledByMigrations.has(name)) await connection.query(raw(`delete from ${quoteIdentifier(name)}`));
  return tables;
}
