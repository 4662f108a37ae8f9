/** `backup --verify FILE`: restores a backup into a temporary database, and compares the rows with the manifest. */
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Connection } from '#pg';
import { withDatabase } from '../command/command-context.ts';
import { CommandError } from '../command/command-error.ts';
import { describeContents } from './manifest-text.ts';
import type { Contents } from './read-archive.ts';
import { checkBackup, restoreBackup } from './restore-backup.ts';
import { listTables } from './tables.ts';
import { sumOfTable } from './write-database.ts';

/** @throws CommandError with a sentence in a line for each difference */
export async function verifyBackup(file: string, signal: AbortSignal): Promise<void> {
  const faults: string[] = [];
  const contents = await checkBackup(file, signal, (sentence) => faults.push(sentence));
  if (faults.length === 0) faults.push(...(await restoreAndCompare(file, signal)));
  if (faults.length > 0) throw new CommandError(faults.join('\n'));
  console.log(`${file} is complete: ${describeContents(contents)} were restored into a temporary database.`);
}

/** Restores the rows; the check has compared the images with their checksums. */
async function restoreAndCompare(file: string, signal: AbortSignal): Promise<string[]> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-verify-'));
  const faults: string[] = [];
  const inspect = async (connection: Connection, contents: Contents) => {
    faults.push(...(await compareTables(connection, contents)));
  };
  try {
    // Started by root, PostgreSQL runs as another user. The cluster itself is private.
    await chmod(directory, 0o755);
    await withDatabase({ databaseUrl: undefined, dataDir: directory }, { stop: signal }, async (target) => {
      await restoreBackup({ target, storage: null }, file, { signal, inspect });
    });
  } finally {
    await removeDatabase(directory);
  }
  return faults;
}

/** A database that root makes in a private directory is in another place, to which a link leads. */
async function removeDatabase(directory: string): Promise<void> {
  const cluster = await realpath(path.join(directory, 'postgres')).catch(() => directory);
  if (!cluster.startsWith(directory)) await rm(path.dirname(cluster), { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

/** @returns a sentence for each table whose rows are not those of the backup */
export async function compareTables(connection: Connection, { manifest }: Contents): Promise<string[]> {
  const faults: string[] = [];
  const tables = await listTables(connection);
  for (const [name, expected] of Object.entries(manifest?.database.tables ?? {})) {
    const table = tables.find((each) => each.name === name);
    const found = table ? await sumOfTable(connection, table) : { rows: 0, checksum: 0 };
    if (found.rows !== expected.rows)
      faults.push(
        `The table ${name} has ${found.rows} rows after a restore, and ${expected.rows} in the backup.`,
      );
    else if (found.checksum !== expected.checksum)
      faults.push(`The rows of ${name} are not those of the backup after a restore.`);
  }
  return faults;
}
