/** `backup FILE`: everything that the database holds at one moment, in one file, while servers go on writing. */
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Presets, SingleBar } from 'cli-progress';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Connection, openConnection, transactionOn } from '../db/connection.ts';
import { versionOf } from '../db/migrate.ts';
import { raw } from '../db/sql.ts';
import type { Target } from '../db/target.ts';
import type { Config } from '../lib/config.ts';
import { copyIn, type Ending, firstLine, lastLine, quoted, setup } from './backup/format.ts';
import { filledByMigrations, type KnownTable, listTables, lockTables, settle } from './backup/tables.ts';
import { stopSignal } from './stop.ts';
import { CommandError, withDatabase } from './world.ts';

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
    const sum = Object.values(rows).reduce((all, some) => all + some, 0);
    console.log(`${file}: ${sum} rows of ${Object.keys(rows).length} tables, ${size} bytes.`);
    console.log('It holds personal data. Keep SECRET_KEY (or DATA_DIR/secret-key) too, apart from it.');
  });
}

/** Refuses a device or a pipe, which the finished file would replace, and without --force an existing file. */
async function checkDestination(file: string, force: boolean): Promise<void> {
  const known = await stat(file).catch(() => null);
  if (known && !known.isFile()) throw new CommandError(`${file} is not a file.`);
  if (known && !force) throw alreadyExists(file);
}

const alreadyExists = (file: string) =>
  new CommandError(`${file} already exists; choose another name, or replace it with --force.`);

export type BackupOptions = {
  signal?: AbortSignal;
  /** As of pg_export_snapshot(): the moment that another transaction sees. */
  snapshot?: string;
  /** Replaces an existing file. */
  force?: boolean;
};

/**
 * Under a name of its own until it is whole, so that FILE never holds half a backup, and only its owner may read it.
 * @throws CommandError when there is nothing to back up, no room for it, or, without `force`, a file of that name
 */
export async function writeBackup(
  target: Target,
  file: string,
  { signal, snapshot, force = false }: BackupOptions = {},
): Promise<Ending> {
  const draft = `${path.resolve(file)}.${randomBytes(4).toString('hex')}.part`;
  const connection = await openConnection(target, 'backup');
  try {
    const write = async () => {
      if (snapshot) await connection.query(raw(`set transaction snapshot ${pg.escapeLiteral(snapshot)}`));
      const result: Ending = { rows: {}, sha256: '' };
      const out = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
      await pipeline(Readable.from(content(connection, result)), createGzip(), out, signal ? { signal } : {});
      return result;
    };
    const ending = await transactionOn(connection, write, 'isolation level repeatable read read only');
    await toDisk(draft);
    await (force ? rename(draft, file) : publish(draft, file));
    await toDisk(path.dirname(path.resolve(file)));
    return ending;
  } catch (error) {
    throw signal?.aborted ? signal.reason : writeTrouble(error, file);
  } finally {
    await rm(draft, { force: true });
    connection.destroy();
  }
}

const withoutHardLinks = /^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/;

/** Gives the draft its name. A link fails if the name is taken, even by a backup that finishes at the same moment. */
async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyExists(file);
    if (!withoutHardLinks.test(code)) throw error;
    // The file system has no hard links (exFAT, for example): a file that appears between these two lines is replaced.
    await checkDestination(file, false);
    await rename(draft, file);
  }
}

async function toDisk(file: string): Promise<void> {
  const handle = await open(file);
  await handle.sync().finally(() => handle.close());
}

function writeTrouble(error: unknown, file: string): unknown {
  const { syscall, message } = error as NodeJS.ErrnoException;
  return syscall ? new CommandError(`${file} cannot be written: ${message}.`) : error;
}

/** The file piece by piece; `result` is filled on the way. */
async function* content(connection: Connection, result: Ending): AsyncGenerator<Buffer> {
  await settle(connection);
  const schema = await versionOf(connection);
  if (schema === 0) throw new CommandError('The database holds no Potluck.');
  const tables = await listTables(connection);
  await lockTables(connection, tables, 'access share');
  const hash = createHash('sha256');
  const hashed = (piece: Buffer | string) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    hash.update(bytes);
    return bytes;
  };
  const manifest = { format: 1, potluck: await version(), schema, at: new Date().toISOString() } as const;
  const bar = progressBar(tables);
  try {
    yield hashed(`${firstLine(manifest)}${setup}\n`);
    for (const table of tables) {
      result.rows[table.name] = 0;
      yield hashed(`${refill(table)}${copyIn(table)};\n`);
      for await (const piece of rowsOf(connection, table)) {
        const rows = newlinesIn(piece);
        result.rows[table.name] = (result.rows[table.name] ?? 0) + rows;
        bar.increment(rows);
        yield hashed(piece);
      }
      yield hashed('\\.\n');
    }
    yield hashed('commit;\n');
  } finally {
    bar.stop();
  }
  result.sha256 = hash.digest('hex');
  yield Buffer.from(lastLine(result));
}

/** For psql; `restore` empties these by itself. */
const refill = ({ name }: KnownTable) =>
  filledByMigrations.has(name) ? `delete from ${quoted(name)};\n` : '';

/** A table's rows as COPY writes them, in chunks of up to 64 KiB. */
function rowsOf({ client }: Connection, { name, columns }: KnownTable): AsyncIterable<Buffer> {
  const list = columns.map(quoted).join(', ');
  // A select, since COPY of a partitioned table itself returns no rows.
  return client.query(copyTo(`copy (select ${list} from ${quoted(name)}) to stdout`));
}

/** In what COPY writes, a line is a row: line ends within a value are written \\n. */
function newlinesIn(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) count++;
  return count;
}

async function version(): Promise<string> {
  const file = path.join(import.meta.dirname, '..', '..', 'package.json');
  return JSON.parse(await readFile(file, 'utf8')).version;
}

/** Silent where no terminal shows it. How many rows there are is what the planner believes. */
function progressBar(tables: KnownTable[]): SingleBar {
  const total = tables.reduce((sum, { estimatedRows }) => sum + estimatedRows, 0);
  const options = { format: '  {bar} {value} rows', hideCursor: true, clearOnComplete: true };
  const bar = new SingleBar(options, Presets.rect);
  bar.start(Math.max(total, 1), 0);
  return bar;
}
