/** What every command needs: a migrated database, the embedded one or another, and the way back out. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReadyConfig } from '../app.ts';
import type { Config } from '../config.ts';
import { connect, type Sql, type Target } from '../db/connect.ts';
import { openEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';

/** Foreseen: said in a line, without a stack. */
export class CommandError extends Error {}

export type World = { config: ReadyConfig; target: Target; sql: Sql; close(): Promise<void> };

/** Opens the database, starting the embedded one when nobody has, and migrates it. */
export async function openWorld(config: Config): Promise<World> {
  const secretKey = config.secretKey ?? (await keptSecretKey(config.dataDir));
  const embedded = config.databaseUrl ? null : await openEmbedded(config.dataDir);
  const target = config.databaseUrl ?? embedded?.target;
  if (!target) throw new CommandError('There is no database.');
  try {
    await migrate(target);
  } catch (error) {
    await embedded?.close();
    throw foreseen(error);
  }
  const sql = connect(target);
  return {
    config: Object.freeze({ ...config, secretKey }),
    target,
    sql,
    async close() {
      await sql.end({ timeout: 5 });
      await embedded?.close();
    },
  };
}

/** Runs a command that is not the server: opens the world, and closes it whatever happens. */
export async function inWorld(config: Config, work: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld(config);
  try {
    await work(world);
  } finally {
    await world.close();
  }
}

/** Made at the first start and kept, so that sessions and codes outlive a restart. */
async function keptSecretKey(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'secret-key');
  await mkdir(dataDir, { recursive: true });
  const fresh = randomBytes(32).toString('base64url');
  await writeFile(file, fresh, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readFile(file, 'utf8')).trim();
}

/** A database that cannot be reached or entered is the operator's to mend: say so in a line. */
function foreseen(error: unknown): unknown {
  const { code = '', message } = error as Error & { code?: string };
  const reachable = !/^(ECONN|ENOTFOUND|EAI_|CONNECT|28|3D)/.test(code);
  return reachable
    ? error
    : new CommandError(`The database at DATABASE_URL cannot be used: ${message} (${code}).`);
}
