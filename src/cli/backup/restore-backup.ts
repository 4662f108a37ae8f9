/** Restores a backup: the rows in one transaction, and the images before its end. */
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Connection, openConnection, sql, type Target, transactionOn } from '#pg';
import type { Storage } from '../../modules/uploads/storage.ts';
import { migrateIn } from '../../schema/migrate.ts';
import { CommandError } from '../command/command-error.ts';
import { startProgressBar } from '../command/progress-bar.ts';
import { convertRows, isOfDevelopment } from './development-backup.ts';
import { copyStatement, type TableColumns } from './file-format.ts';
import { ImageRestorer } from './images.ts';
import { type Consumer, type Contents, readArchive } from './read-archive.ts';
import type { BackupParts } from './read-database.ts';
import { prepareTables, refuseUnknown } from './restore-target.ts';
import { setBackupSettings, type TableInfo } from './tables.ts';

/**
 * Reads a whole backup without restoring it.
 * @param onFault called with a sentence for each damaged file in the archive, in place of an error for the first one
 * @throws CommandError if the file is not a backup, is damaged, or is of a newer version
 */
export function checkBackup(
  file: string,
  signal?: AbortSignal,
  onFault?: (sentence: string) => void,
): Promise<Contents> {
  const database = async (parts: BackupParts) => {
    for await (const part of parts) if ('header' in part) await refuseUnknown(part.header);
  };
  const consumer = { database, image: async () => {} };
  return readWithProgress(file, 'checking ', consumer, { signal, ...(onFault && { onFault }) });
}

async function readWithProgress(
  file: string,
  action: string,
  consumer: Consumer,
  options: { signal: AbortSignal | undefined; onFault?: (sentence: string) => void },
): Promise<Contents> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  using bar = startProgressBar(`${action} {bar} {percentage} %`, Math.max(size, 1));
  return await readArchive(file, consumer, { ...options, onProgress: (bytes) => bar.update(bytes) });
}

export type RestoreOptions = {
  signal?: AbortSignal | undefined;
  /** Called when the rows are those of the backup, before newer migrations. */
  inspect?(connection: Connection, contents: Contents): Promise<void>;
};

/**
 * Restores a backup in one transaction: migrates to the version of the backup, loads the rows, writes the images, then applies
 * newer migrations. After a failure, the database is empty, and images without rows are harmless: the next restore
 * writes the same files.
 * @param storage null: without the images
 * @throws CommandError if the database is not empty, or a table, column or row does not fit the database
 */
export async function restoreBackup(
  { target, storage }: { target: Target; storage: Storage | null },
  file: string,
  { signal, inspect }: RestoreOptions = {},
): Promise<Contents> {
  const connection = await openConnection(target, 'restore');
  const images = storage && new ImageRestorer(storage);
  const consumer: Consumer = {
    database: (parts) => loadBackup(connection, parts),
    image: async (id, bytes) => images?.add(id, bytes),
  };
  try {
    const contents = await transactionOn(connection, async () => {
      await setBackupSettings(connection);
      const restored = await readWithProgress(file, 'restoring', consumer, { signal });
      await images?.flush();
      await inspect?.(connection, restored);
      await migrateIn(connection);
      return restored;
    });
    await connection.query(sql`analyze`);
    return contents;
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
