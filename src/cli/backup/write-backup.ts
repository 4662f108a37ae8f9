/** Writes a backup: one snapshot of the database, and the images that it names. Servers can write meanwhile. */
import { randomBytes } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { syncDirectory } from '#base';
import { type Connection, openConnection, raw, type Target, transactionOn } from '#pg';
import { listUploadIds } from '../../modules/uploads/repo.ts';
import type { Storage } from '../../modules/uploads/storage.ts';
import { CommandError } from '../command/command-error.ts';
import { ArchiveWriter, databaseName, type Manifest } from './archive.ts';
import { addImages } from './images.ts';
import { databaseContent, takeSnapshot } from './write-database.ts';

export type BackupOptions = {
  signal?: AbortSignal;
  /** The result of pg_export_snapshot() in another transaction, whose snapshot the backup then uses. */
  snapshot?: string;
  /** Replace an existing file. */
  force?: boolean;
};

/**
 * Writes a backup that only the owner of the file can read. The file has a temporary name until it is complete.
 * @param storage null: without images
 * @throws CommandError if the database has no tables of Potluck, the file cannot be written, or it exists already
 */
export async function writeBackup(
  { target, storage }: { target: Target; storage: Storage | null },
  file: string,
  { signal, snapshot, force = false }: BackupOptions = {},
): Promise<Manifest> {
  await checkDestination(file, force);
  const temporaryFile = `${path.resolve(file)}.${randomBytes(4).toString('hex')}.part`;
  const connection = await openConnection(target, 'backup');
  // A rollback would wait for the rest of the table that is being read.
  using _ = signal && addAbortListener(signal, () => connection.destroy());
  try {
    await using out = await open(temporaryFile, 'wx', 0o600);
    const manifest = await writeArchive({ connection, storage, out, snapshot, signal });
    await out.sync();
    await (force ? rename(temporaryFile, file) : renameIfFree(temporaryFile, file));
    await syncDirectory(path.dirname(path.resolve(file)));
    return manifest;
  } catch (error) {
    throw signal?.aborted ? signal.reason : toWriteError(error, file);
  } finally {
    await rm(temporaryFile, { force: true });
    connection.destroy();
  }
}

type Work = {
  connection: Connection;
  storage: Storage | null;
  out: FileHandle;
  snapshot: string | undefined;
  signal: AbortSignal | undefined;
};

/** The images follow after the transaction, which holds back the vacuum of the database. */
async function writeArchive({ connection, storage, out, snapshot, signal }: Work): Promise<Manifest> {
  const database: Manifest['database'] = { bytes: 0, tables: {} };
  const dump = async () => {
    if (snapshot) await connection.query(raw(`set transaction snapshot ${pg.escapeLiteral(snapshot)}`));
    const taken = await takeSnapshot(connection);
    const archive = new ArchiveWriter(out, new Date(taken.header.at));
    await pipeline(
      Readable.from(databaseContent(connection, taken, database)),
      createGzip(),
      (chunks: AsyncIterable<Buffer>) => archive.add(databaseName, chunks),
      signal ? { signal } : {},
    );
    return { archive, header: taken.header, ids: storage && (await listUploadIds(connection)) };
  };
  const { archive, header, ids } = await transactionOn(
    connection,
    dump,
    'isolation level repeatable read read only',
  );
  const images = storage && (await addImages(archive, ids ?? [], { storage, connection, signal }));
  const manifest = { ...header, database, images };
  await archive.finish(manifest);
  return manifest;
}

/**
 * @throws CommandError for a device or pipe, which the backup would replace, and for an existing file without
 *   `force`
 */
export async function checkDestination(file: string, force: boolean): Promise<void> {
  const existing = await stat(file).catch(() => null);
  if (existing && !existing.isFile()) throw new CommandError(`${file} is not a file.`);
  if (existing && !force) throw fileExistsError(file);
}

const fileExistsError = (file: string) =>
  new CommandError(`${file} already exists; choose another name, or replace it with --force.`);

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
