/** Writes the database of a backup: SQL with the rows of all tables, as the transaction of the connection sees them. */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { to as copyTo } from 'pg-copy-streams';
import type { Connection } from '#pg';
import manifest from '../../../package.json' with { type: 'json' };
import { versionOf } from '../../schema/migrate.ts';
import { CommandError } from '../command/command-error.ts';
import { startProgressBar } from '../command/progress-bar.ts';
import type { Manifest, TableSum } from './archive.ts';
import {
  type BackupHeader,
  copyStatement,
  headerLine,
  newline,
  quoteIdentifier,
  setupStatements,
  summaryLine,
  type TableColumns,
} from './file-format.ts';
import { filledByMigrations, listTables, lockTables, setBackupSettings, type TableInfo } from './tables.ts';

export type Snapshot = { header: BackupHeader; tables: TableInfo[] };

/** Begins the snapshot of the transaction, and keeps migrations away from its tables. @throws CommandError */
export async function takeSnapshot(connection: Connection): Promise<Snapshot> {
  await setBackupSettings(connection);
  const schema = await versionOf(connection);
  if (schema === 0) throw new CommandError('The database has no tables of Potluck.');
  const tables = await listTables(connection);
  await lockTables(connection, tables, 'access share');
  const at = new Date().toISOString();
  return { header: { format: 2, potluck: manifest.version, schema, at }, tables };
}

/** Yields the SQL, and fills `sums`. */
export async function* databaseContent(
  connection: Connection,
  { header, tables }: Snapshot,
  sums: Manifest['database'],
): AsyncGenerator<Buffer, void> {
  const hash = createHash('sha256');
  const counted = (chunk: Buffer | string) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    hash.update(bytes);
    sums.bytes += bytes.length;
    return bytes;
  };
  const estimate = tables.reduce((sum, { estimatedRows }) => sum + estimatedRows, 0);
  using bar = startProgressBar('{bar} {value} rows', Math.max(estimate, 1));
  yield counted(`${headerLine(header)}${setupStatements}\n`);
  for (const table of tables) {
    const counter = new RowCounter();
    yield counted(`${deleteStatement(table)}${copyStatement(table)};\n`);
    for await (const chunk of rowsOf(connection, table)) {
      bar.increment(counter.add(chunk));
      yield counted(chunk);
    }
    sums.tables[table.name] = counter.sum;
    yield counted('\\.\n');
  }
  yield counted('commit;\n');
  const rows = Object.fromEntries(tables.map(({ name }) => [name, sums.tables[name]?.rows ?? 0]));
  const end = summaryLine({ rows, sha256: hash.digest('hex') });
  sums.bytes += end.length;
  yield Buffer.from(end);
}

/** Only psql runs this statement. The command `restore` deletes the rows itself. */
const deleteStatement = ({ name }: TableInfo) =>
  filledByMigrations.has(name) ? `delete from ${quoteIdentifier(name)};\n` : '';

/** The rows in the text format of COPY, in chunks of at most 64 KiB. */
function rowsOf({ client }: Connection, { name, columns }: TableColumns): AsyncIterable<Buffer> {
  const list = columns.map(quoteIdentifier).join(', ');
  // COPY of a partitioned table returns no rows, COPY of a select does.
  return client.query(copyTo(`copy (select ${list} from ${quoteIdentifier(name)}) to stdout`));
}

/** Reads all rows of a table. */
export async function sumOfTable(connection: Connection, table: TableColumns): Promise<TableSum> {
  const counter = new RowCounter();
  for await (const chunk of rowsOf(connection, table)) counter.add(chunk);
  return counter.sum;
}

/** Each line is a row, because COPY escapes line breaks within values. */
class RowCounter {
  readonly sum: TableSum = { rows: 0, checksum: 0 };
  /** Of the part of a row at the end of the last chunk. */
  #crc = 0;

  /** Returns the number of rows that end in the chunk. */
  add(chunk: Buffer): number {
    const before = this.sum.rows;
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.sum.rows++;
      this.sum.checksum = (this.sum.checksum + crc32(chunk.subarray(start, end), this.#crc)) % 2 ** 32;
      this.#crc = 0;
      start = end + 1;
    }
    this.#crc = crc32(chunk.subarray(start), this.#crc);
    return this.sum.rows - before;
  }
}
