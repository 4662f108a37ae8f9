/** The way back from an upgrade: a backup of the embedded database as the former version left it. */
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { freeBytesOf, makeDirectory } from '#base';
import { one, type Queryable, sql, type Target } from '#pg';
import type { Config } from '../../config/config.ts';
import type { Migration } from '../../schema/migrate.ts';
import { CommandError } from './command-error.ts';

const kept = 3;
const pattern = /^before-migration-\d{4}\.tar$/;

type Work = { target: Target; db: Queryable; next: Migration; stop: AbortSignal };

/**
 * Writes DATA_DIR/backups/before-migration-NNNN.tar, in place of the one of a migration that failed, and deletes older
 * ones.
 * @returns the file; null for an external database, whose operator makes the backups, and if the configuration says so
 * @throws CommandError if the disk lacks room, or the file cannot be written
 */
export async function backUpBeforeMigration(config: Config, work: Work): Promise<string | null> {
  if (config.databaseUrl !== undefined || !config.migrationBackup) return null;
  const directory = path.join(config.dataDir, 'backups');
  await makeDirectory(directory);
  await requireRoom(directory, work.db);
  // A start without a migration does without these modules.
  const { writeBackup } = await import('../backup/write-backup.ts');
  const file = path.join(directory, `before-migration-${`${work.next.version}`.padStart(4, '0')}.tar`);
  await writeBackup({ target: work.target, storage: null }, file, { signal: work.stop, force: true });
  await removeOld(directory);
  return file;
}

/** By their time, because a restored database goes through its migrations again. */
async function removeOld(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => pattern.test(name));
  const files = await Promise.all(
    names.map(async (name) => {
      const file = path.join(directory, name);
      return { file, at: (await stat(file)).mtimeMs };
    }),
  );
  for (const { file } of files.sort((a, b) => b.at - a.at).slice(kept)) await rm(file);
}

/** The backup is smaller than the database. The migration may write each table once more. */
async function requireRoom(directory: string, db: Queryable): Promise<void> {
  const { bytes } = one(
    await db.query<{ bytes: number }>(sql`select pg_database_size(current_database())::float8 as bytes`),
  );
  const free = await freeBytesOf(directory);
  if (free >= bytes) return;
  throw new CommandError(
    `The database was not migrated: the backup before it may need ${inMb(bytes)} in ${directory}, and ${inMb(free)} are ` +
      'free. Make room; or make a backup yourself, and set MIGRATION_BACKUP=off for this start.',
  );
}

const inMb = (bytes: number) => `${Math.ceil(bytes / 1e6)} MB`;
