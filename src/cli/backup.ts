/** `backup FILE`: writes one snapshot of the database to a file. Servers can write meanwhile. */
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import manifest from '../../package.json' with { type: 'json' };
import { type Connection, openConnection, transactionOn } from '../db/connection.ts';
import { versionOf } from '../db/migrate.ts';
import { raw } from '../db/sql.ts';
import type { Target } from '../db/target.ts';
import type { Config } from '../lib/config.ts';
import { syncDirectory, syncFile } from '../lib/sync-to-disk.ts';
import {
  type BackupHeader,
  type BackupSummary,
  copyStatement,
  headerLine,
  quoteIdentifier,
  setupStatements,
  summaryLine,
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

export async function backupCommand(
  config: Config,
  rest: string[],
  { force = false }: { force?: boolean },
): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0) throw new CommandError('Usage: backup FILE [--force]');
  await checkDestination(file, force);
  const stop = stopSignal();
  await withDatabase(config, { stop, mustExist: true }, async (target) => {
    const { rows } = await writeBackup(target, file, { signal: stop, force });
    const { size } = await stat(file);
    const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
    console.log(`${file}: ${total} rows of ${Object.keys(rows).length} tables, ${size} bytes.`);
    console.log(
      'It contains personal data. Keep a copy of SECRET_KEY (or DATA_DIR/secret-key) in another place.',
    );
  });
}

/**
 * @throws CommandError for a device or pipe, which the backup would replace, and for an existing file without
 *   `force`
 */
async function checkDestination(file: string, force: boolean): Promise<void> {
  const existing = await stat(file).catch(() => null);
  if (existing && !existing.isFile()) throw new CommandError(`${file} is not a file.`);
  if (existing && !force) throw fileExistsError(file);
}

const fileExistsError = (file: string) =>
  new CommandError(`${file} already exists; choose another name, or replace it with --force.`);

type BackupOptions = {
  signal?: AbortSignal;
  /** The result of pg_export_snapshot() in another transaction, whose snapshot the backup then uses. */
  snapshot?: string;
  /** Replace an existing file. */
  force?: boolean;
};

/**
 * Writes a backup that only the owner of the file can read. The file has a temporary name until it is
 * complete.
 * @throws CommandError if the database has no tables of Potluck, the file cannot be written, or it exists
 *   already
 */
export async function writeBackup(
  target: Target,
  file: string,
  { signal, snapshot, force = false }: BackupOptions = {},
): Promise<BackupSummary> {
  const temporaryFile = `${path.resolve(file)}.${randomBytes(4).toString('hex')}.part`;
  const connection = await openConnection(target, 'backup');
  try {
    const write = async () => {
      if (snapshot) await connection.query(raw(`set transaction snapshot ${pg.escapeLiteral(snapshot)}`));
      const summary: BackupSummary = { rows: {}, sha256: '' };
      const out = createWriteStream(temporaryFile, { flags: 'wx', mode: 0o600 });
      await pipeline(
        Readable.from(backupContent(connection, summary)),
        createGzip(),
        out,
        signal ? { signal } : {},
      );
      return summary;
    };
    const summary = await transactionOn(connection, write, 'isolation level repeatable read read only');
    await syncFile(temporaryFile);
    await (force ? rename(temporaryFile, file) : renameIfFree(temporaryFile, file));
    await syncDirectory(path.dirname(path.resolve(file)));
    return summary;
  } catch (error) {
    throw signal?.aborted ? signal.reason : toWriteError(error, file);
  } finally {
    await rm(temporaryFile, { force: true });
    connection.destroy();
  }
}

const noHardLinks = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/;

/**
 * Gives the temporary file its name. A link fails if the name exists, also if another backup creates it
 * concurrently.
 */
async function renameIfFree(temporaryFile: string, file: string): Promise<void> {
  try {
    await link(temporaryFile, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw fileExistsError(file);
    if (!noHardLinks.test(code)) throw error;
    // Without hard links (exFAT, for example), a file that is created between these two lines is replaced.
    await checkDestination(file, false);
    await rename(temporaryFile, file);
  }
}

/** Turns file system errors into a CommandError, and returns all other errors unchanged. */
function toWriteError(error: unknown, file: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  return syscall ? new CommandError(`${file} cannot be written: ${message}.`) : error;
}

/** Yields the uncompressed file, and fills `summary`. */
async function* backupContent(connection: Connection, summary: BackupSummary): AsyncGenerator<Buffer> {
  await setBackupSettings(connection);
  const schema = await versionOf(connection);
  if (schema === 0) throw new CommandError('The database has no tables of Potluck.');
  const tables = await listTables(connection);
  await lockTables(connection, tables, 'access share');
  const hash = createHash('sha256');
  const hashed = (chunk: Buffer | string) => {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    hash.update(bytes);
    return bytes;
  };
  const header: BackupHeader = {
    format: 2,
    potluck: manifest.version,
    schema,
    at: new Date().toISOString(),
  };
  const estimate = tables.reduce((sum, { estimatedRows }) => sum + estimatedRows, 0);
  using bar = startProgressBar('{bar} {value} rows', Math.max(estimate, 1));
  yield hashed(`${headerLine(header)}${setupStatements}\n`);
  for (const table of tables) {
    summary.rows[table.name] = 0;
    yield hashed(`${deleteStatement(table)}${copyStatement(table)};\n`);
    for await (const chunk of rowsOf(connection, table)) {
      const rows = countRows(chunk);
      summary.rows[table.name] = (summary.rows[table.name] ?? 0) + rows;
      bar.increment(rows);
      yield hashed(chunk);
    }
    yield hashed('\\.\n');
  }
  yield hashed('commit;\n');
  summary.sha256 = hash.digest('hex');
  yield Buffer.from(summaryLine(summary));
}

/** Only psql runs this statement. The command `restore` deletes the rows itself. */
const deleteStatement = ({ name }: TableInfo) =>
  filledByMigrations.has(name) ? `delete from ${quoteIdentifier(name)};\n` : '';

/** The rows in the text format of COPY, in chunks of at most 64 KiB. */
function rowsOf({ client }: Connection, { name, columns }: TableInfo): AsyncIterable<Buffer> {
  const list = columns.map(quoteIdentifier).join(', ');
  // COPY of a partitioned table returns no rows, COPY of a select does.
  return client.query(copyTo(`copy (select ${list} from ${quoteIdentifier(name)}) to stdout`));
}

/** Each line is a row, because COPY escapes line breaks within values. */
function countRows(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++;
  return count;
}
