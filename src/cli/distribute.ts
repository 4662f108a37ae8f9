/** `distribute`: turns a migrated database on the coordinator of a cluster with Citus into a distributed one. */
import { addAbortListener } from 'node:events';
import { type Connection, hasCitus, one, openConnection, sql, type Target, transactionOn } from '#pg';
import type { Config } from '../config/config.ts';
import { distributeTables, listTablesToDistribute } from '../schema/distribute.ts';
import { distributedTables } from '../schema/distribution.ts';
import { AdvisoryLock } from '../schema/locks.ts';
import { newestVersion, versionOf } from '../schema/migrate.ts';
import { withDatabase } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';
import { startProgressBar } from './command/progress-bar.ts';
import { stopSignal } from './command/stop.ts';

const minCitus = 13;

export async function distributeCommand(config: Config): Promise<void> {
  if (config.databaseUrl === undefined) {
    throw new CommandError('DATABASE_URL must name the database on the coordinator of a cluster with Citus.');
  }
  const stop = stopSignal();
  await withDatabase(config, { stop }, async (target) => {
    const { tables, nodes } = await distribute(target, stop);
    const total = distributedTables.flatMap((group) => Object.keys(group)).length;
    console.log(
      tables === 0
        ? `All ${total} tables are distributed already; there was nothing to do.`
        : `Distributed ${tables} of ${total} tables over ${nodes} node${nodes === 1 ? '' : 's'}.`,
    );
  });
}

/**
 * Distributes the tables that are not distributed yet, in one transaction: all of them or none.
 * @param signal closes the connection; PostgreSQL then rolls the transaction back
 * @returns the number of tables that were distributed, and of nodes that can store rows
 * @throws CommandError for a database that cannot be distributed
 */
export async function distribute(
  target: Target,
  signal?: AbortSignal,
): Promise<{ tables: number; nodes: number }> {
  const connection = await openConnection(target, 'distribution');
  using _ = signal && addAbortListener(signal, () => connection.destroy());
  try {
    return await transactionOn(connection, async () => {
      const nodes = await refuseUnfit(connection);
      // Servers that start wait here until the database is distributed.
      await connection.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.migration})`);
      const tables = await listTablesToDistribute(connection);
      using bar = startProgressBar('distributing {bar} {value} of {total} tables  {label}', tables.length);
      let started = 0;
      await distributeTables(connection, tables, ({ name }) => bar.update(started++, name));
      return { tables: tables.length, nodes };
    });
  } finally {
    await connection.end();
  }
}

/** Returns the number of nodes that can store rows. @throws CommandError */
async function refuseUnfit(connection: Connection): Promise<number> {
  if (!(await hasCitus(connection))) {
    throw new CommandError(
      'The database at DATABASE_URL has no extension "citus": run "create extension citus" on every node.',
    );
  }
  const { version, group, nodes } = one(
    await connection.query<{ version: string; group: number; nodes: number }>(sql`
      select (select extversion from pg_extension where extname = 'citus') as version,
        (select groupid from pg_dist_local_group) as group,
        (select count(*)::int from pg_dist_node
          where groupid <> 0 and noderole = 'primary' and isactive and shouldhaveshards) as nodes`),
  );
  if (Number.parseInt(version, 10) < minCitus)
    throw new CommandError(`The extension is Citus ${version}; Potluck needs ${minCitus} or newer.`);
  if (group !== 0) {
    throw new CommandError(
      'The database at DATABASE_URL is on a worker node; name the one on the coordinator.',
    );
  }
  if (nodes === 0)
    throw new CommandError('The cluster has no active worker nodes: add them with citus_add_node.');
  await refuseOtherVersion(connection);
  await refuseServers(connection);
  return nodes;
}

async function refuseOtherVersion(connection: Connection): Promise<void> {
  const [version, newest] = [await versionOf(connection), await newestVersion()];
  if (version > newest) {
    throw new CommandError(
      `The database is at version ${version}, and this Potluck knows versions up to ${newest}: use the newer Potluck.`,
    );
  }
  if (version < newest) {
    throw new CommandError(
      `The database is at version ${version}, and this Potluck has version ${newest}: run "bin/potluck migrate" first.`,
    );
  }
}

/** Statements of a running server would wait for the whole distribution, and fail. */
async function refuseServers(connection: Connection): Promise<void> {
  const servers = await connection.query(sql`
    select 1 from pg_stat_activity where datname = current_database() and application_name = 'potluck'`);
  if (servers.length > 0)
    throw new CommandError('Servers use the database: stop them, and start them again afterwards.');
}
