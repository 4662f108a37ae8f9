/** Plain SQL migrations, forward only; any number of servers may start at once. */
import path from 'node:path';
import Postgrator from 'postgrator';
import { connectOne, type Sql, type Target } from './connect.ts';

const migrations = path.join(import.meta.dirname, 'migrations', '*.do.*.sql');
/** Any number that nothing else locks with. */
const migrationLock = 7_305_114;

/** Brings the database to the newest version; gives the names of the migrations that it ran. */
export async function migrate(target: Target): Promise<string[]> {
  const connection = connectOne(target, 'migration');
  try {
    // Held by the session: the second server waits here, then finds nothing left to do.
    await connection`select pg_advisory_lock(${migrationLock})`;
    const runner = new Postgrator({
      driver: 'pg',
      migrationPattern: migrations,
      schemaTable: 'schema_version',
      execQuery: async (query) => {
        // Several statements sent as one are one transaction.
        const result = await connection.unsafe(query).simple();
        const rows = Array.isArray(result[0]) ? (result as unknown as unknown[][]).flat() : [...result];
        return { rows };
      },
    });
    const done = await runner.migrate();
    return done.map((migration) => `${migration.version} ${migration.name}`);
  } finally {
    await connection.end({ timeout: 1 });
  }
}

/** True when every migration of this version of Potluck has run. */
export async function isMigrated(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ version: number }[]>`select max(version)::int as version from schema_version`;
  return row?.version === (await newestVersion());
}

async function newestVersion(): Promise<number> {
  const runner = new Postgrator({ driver: 'pg', migrationPattern: migrations });
  return Math.max(...(await runner.getMigrations()).map((migration) => migration.version));
}
