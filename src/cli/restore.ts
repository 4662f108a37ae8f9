/** `restore FILE`: a backup into an empty database, wholly or not at all. */

import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Presets, SingleBar } from 'cli-progress';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type Connection, openConnection, transactionOn } from '../db/connection.ts';
import { migrateIn, newestVersion, versionOf } from '../db/migrate.ts';
import { raw, sql } from '../db/sql.ts';
import type { Target } from '../db/target.ts';
import type { Config } from '../lib/config.ts';
import { copyIn, type Ending, type Manifest, quoted, readBackup, type Sink } from './backup/format.ts';
import { filledByMigrations, type KnownTable, listTables, lockTables, settle } from './backup/tables.ts';
import { stopSignal } from './stop.ts';
import { CommandError, withDatabase } from './world.ts';

export async function restoreCommand(config: Config, rest: string[]): Promise<void> {
  const [file, ...others] = rest;
  if (!file || others.length > 0) throw new CommandError('Usage: restore FILE');
  const stop = stopSignal();
  // Before a database is made for it: what is damaged is refused as if nothing had been asked.
  await checkBackup(file, stop);
  await withDatabase(config, { stop }, async (target) => {
    const { rows } = await restoreBackup(target, file, stop);
    const sum = Object.values(rows).reduce((all, some) => all + some, 0);
    console.log(`${file}: ${sum} rows of ${Object.keys(rows).length} tables were restored.`);
  });
}

/**
 * Reads a backup to its end without doing anything.
 * @throws CommandError when it is none, is damaged, or comes from a newer version
 */
export async function checkBackup(file: string, signal?: AbortSignal): Promise<void> {
  const nothing = async () => {};
  const bar = await progressBar(file, 'checking ');
  const sink: Sink = {
    manifest: refuseNewer,
    table: nothing,
    rows: nothing,
    endOfTable: nothing,
    progress: (bytes) => bar.update(bytes),
  };
  await readBackup(file, sink, signal).finally(() => bar.stop());
}

async function refuseNewer({ schema, potluck }: Manifest): Promise<void> {
  if (schema > (await newestVersion())) {
    throw new CommandError(`The backup was made by Potluck ${potluck}, which is newer than this one.`);
  }
}

/**
 * In one transaction: the tables as they were when the backup was made, then the rows, then what migrations came since.
 * @throws CommandError when the database holds anything, or the backup does not fit
 */
export async function restoreBackup(target: Target, file: string, signal?: AbortSignal): Promise<Ending> {
  const connection = await openConnection(target, 'restore');
  const bar = await progressBar(file, 'restoring');
  try {
    const ending = await transactionOn(connection, async () => {
      await settle(connection);
      const restored = await readBackup(
        file,
        loader(connection, (bytes) => bar.update(bytes)),
        signal,
      );
      await migrateIn(connection);
      return restored;
    });
    await connection.query(sql`analyze`);
    return ending;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    bar.stop();
    connection.destroy();
  }
}

/** Puts what comes into the tables that the database itself has; the file's own SQL is never run. */
function loader(connection: Connection, progress: Sink['progress']): Sink {
  let known: KnownTable[] = [];
  let out: Writable | null = null;
  let name = '';
  return {
    progress,
    async manifest(manifest) {
      await refuseNewer(manifest);
      known = await emptyTables(connection, manifest);
    },
    async table(table) {
      const ours = known.find(({ name }) => name === table.name);
      const strange = table.columns.find((column) => !ours?.columns.includes(column));
      if (!ours || strange) {
        const what = ours ? `column ${table.name}.${strange}` : `table ${table.name}`;
        throw new CommandError(`The backup has a ${what}, which Potluck has not. Nothing was restored.`);
      }
      out = connection.client.query(copyFrom(copyIn(table)));
      name = table.name;
      // Told of where it is waited for; until then it must not end the process.
      out.on('error', () => {});
    },
    async rows(rows) {
      const stream = out;
      if (!stream) return;
      await new Promise<void>((resolve, reject) => {
        stream.write(rows, (error) => (error ? reject(stream.errored ?? error) : resolve()));
      });
    },
    async endOfTable() {
      const stream = out;
      if (!stream) return;
      out = null;
      stream.end();
      await finished(stream).catch((error) => {
        if (!(error instanceof pg.DatabaseError)) throw error;
        throw new CommandError(
          `The rows of ${name} do not fit the database: ${error.message}. Nothing was restored.`,
        );
      });
    },
  };
}

/** As the backup knew them. @throws CommandError when any of them holds a row */
async function emptyTables(connection: Connection, { schema }: Manifest): Promise<KnownTable[]> {
  const version = await versionOf(connection);
  if (version > schema) {
    throw new CommandError(
      `The database is of a newer version (${version}) than the backup (${schema}): restore into a new one, which is then brought up to date.`,
    );
  }
  await migrateIn(connection, schema);
  const tables = await listTables(connection);
  await lockTables(connection, tables, 'exclusive');
  for (const { name } of tables) {
    if (filledByMigrations.has(name)) await connection.query(raw(`delete from ${quoted(name)}`));
    const [row] = await connection.query(raw(`select exists (select 1 from ${quoted(name)}) as found`));
    if (row?.found) {
      throw new CommandError(
        `The database is not empty: there are rows in ${name}. A backup is restored into a new database.`,
      );
    }
  }
  return tables;
}

/** Silent where no terminal shows it. */
async function progressBar(file: string, doing: string): Promise<SingleBar> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  const options = { format: `  ${doing} {bar} {percentage} %`, hideCursor: true, clearOnComplete: true };
  const bar = new SingleBar(options, Presets.rect);
  bar.start(Math.max(size, 1), 0);
  return bar;
}
