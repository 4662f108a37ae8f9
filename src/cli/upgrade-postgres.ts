/** `upgrade-postgres --from DIRECTORY`: moves the embedded database to the PostgreSQL of this version. */
import path from 'node:path';
import { makeDirectory } from '#base';
import { type ClusterVersions, type SocketTarget, upgradeCluster } from '#embedded-postgres';
import type { Connection } from '#pg';
import type { Config } from '../config/config.ts';
import { describeRows } from './backup/manifest-text.ts';
import type { Contents } from './backup/read-archive.ts';
import { restoreBackup } from './backup/restore-backup.ts';
import { compareTables } from './backup/verify.ts';
import { writeBackup } from './backup/write-backup.ts';
import { toDatabaseError, toDataDirError } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { stopSignal } from './command/stop.ts';

export async function upgradePostgresCommand(
  { databaseUrl, dataDir }: Config,
  { from }: { from?: string },
): Promise<void> {
  if (databaseUrl !== undefined)
    throw new CommandError('The database at DATABASE_URL is not the embedded one; its operator upgrades it.');
  if (from === undefined)
    throw new CommandError('Usage: upgrade-postgres --from DIRECTORY, where the former Potluck is.');
  const signal = stopSignal();
  const backups = path.join(dataDir, 'backups');
  await makeDirectory(backups);
  const copy = async (old: SocketTarget, next: SocketTarget, { to }: ClusterVersions) => {
    const file = path.join(backups, `before-postgres-${to}.tar`);
    await writeBackup({ target: old, storage: null }, file, { signal, force: true });
    const { rows } = await restoreBackup({ target: next, storage: null }, file, { signal, inspect });
    console.log(`${describeRows(rows)} are in the new database, and in ${file}.`);
  };
  const done = await upgradeCluster(dataDir, path.resolve(from), copy, signal).catch((error) => {
    if (signal.aborted) throw signal.reason;
    throw toDatabaseError(toDataDirError(error, dataDir), undefined);
  });
  console.log(
    `The database has PostgreSQL ${done.to} now. Start the server, and delete ${done.kept} when all is well.`,
  );
}

/** @throws CommandError if the rows of the new database, which no migration has changed yet, are not those of the old one */
async function inspect(connection: Connection, contents: Contents): Promise<void> {
  const faults = await compareTables(connection, contents);
  if (faults.length > 0) throw new CommandError([...faults, 'The old database is unchanged.'].join('\n'));
}
