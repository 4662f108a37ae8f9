/** What every command needs: a migrated database, the embedded one or another, and the way back out. */

import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database } from '../db/client.ts';
import { type Embedded, openEmbedded } from '../db/embedded/embedded.ts';
import { LockedError } from '../db/embedded/file-lock.ts';
import { EmbeddedError } from '../db/embedded/placement.ts';
import { isOutage } from '../db/errors.ts';
import { MigrationError, migrate } from '../db/migrate.ts';
import { crashing, RecoveryError, startingUp, untilRecovered } from '../db/recovery.ts';
import { sql } from '../db/sql.ts';
import type { Target } from '../db/target.ts';
import type { Config, ReadyConfig } from '../lib/config.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { readOrCreateSecret } from '../lib/secret-file.ts';
import { CommandError } from './command-error.ts';
import { stopSignal, unlessStopped } from './stop.ts';

export { CommandError };

export type CommandContext = {
  config: ReadyConfig;
  target: Target;
  db: Database;
  /** The names of the migrations that ran when the database was opened. */
  migrations: string[];
  close(): Promise<void>;
};

/** Time for a database elsewhere to answer at all; migrating it may take as long as it takes. */
const reachMs = 6_000;

/**
 * Runs a command, and gives it up when it is told to stop.
 * @throws as `withWorld`
 */
export function runCommand(config: Config, work: (world: CommandContext) => Promise<void>): Promise<void> {
  const stop = stopSignal();
  return withCommandContext(config, stop, (world) => unlessStopped(work(world), stop));
}

/**
 * Opens the database, starting the embedded one when nobody has, migrates it, and closes it whatever happens.
 * @throws CommandError for what the operator can mend; Interrupted when told to stop before `work` began
 */
export async function withCommandContext(
  config: Config,
  stop: AbortSignal,
  work: (world: CommandContext) => Promise<void>,
): Promise<void> {
  const world = await openCommandContext(config, stop);
  try {
    await work(world);
  } catch (error) {
    throw isDatabaseAway(error) ? databaseTrouble(error, config.databaseUrl) : error;
  } finally {
    await world.close();
  }
}

async function openCommandContext(config: Config, stop: AbortSignal): Promise<CommandContext> {
  stop.throwIfAborted();
  const secretKey = config.secretKey ?? (await openDataDir(config.dataDir));
  let migrations: string[] = [];
  const { target, close } = await openTarget(config, stop, async (target) => {
    migrations = await migrate(target, stop);
  });
  const db = connect(target);
  return {
    config: Object.freeze({ ...config, secretKey }),
    target,
    db,
    migrations,
    async close() {
      await db.end({ timeoutMs: 500 });
      await close();
    },
  };
}

/**
 * The database as it is, not migrated, for what `work` alone decides to do with it; closed whatever happens.
 * @param mustExist an embedded database that is not there is not made
 * @throws CommandError for what the operator can mend
 */
export async function withDatabase(
  config: Config,
  { stop, mustExist = false }: { stop: AbortSignal; mustExist?: boolean },
  work: (target: Target) => Promise<void>,
): Promise<void> {
  stop.throwIfAborted();
  const { databaseUrl, dataDir } = config;
  if (
    mustExist &&
    databaseUrl === undefined &&
    !(await lstat(path.join(dataDir, 'postgres')).catch(() => null))
  ) {
    throw new CommandError(`There is no database in ${dataDir}, which is DATA_DIR.`);
  }
  const { target, close } = await openTarget(config, stop, async () => {});
  try {
    await work(target);
  } catch (error) {
    const known = error instanceof CommandError || stop.aborted;
    throw known ? error : databaseTrouble(error, databaseUrl);
  } finally {
    await close();
  }
}

type Opened = { target: Target; close(): Promise<void> };

async function openTarget(
  { databaseUrl, dataDir }: Config,
  stop: AbortSignal,
  prepare: (target: Target) => Promise<unknown>,
): Promise<Opened> {
  const embedded = databaseUrl === undefined ? await openDatabase(dataDir, stop) : null;
  const target = databaseUrl ?? (embedded as Embedded).target;
  const close = async () => embedded?.close();
  try {
    const codes = embedded ? crashing : startingUp;
    const open = () => reach(target).then(() => prepare(target));
    await unlessStopped(untilRecovered(open, { codes, signal: stop }), stop);
  } catch (error) {
    await close();
    throw stop.aborted ? stop.reason : databaseTrouble(error, databaseUrl);
  }
  return { target, close };
}

/** Gives the key that is kept there, so that sessions and codes outlive a restart. */
async function openDataDir(dataDir: string): Promise<string> {
  try {
    await makeDirectory(dataDir);
    return await readOrCreateSecret(path.join(dataDir, 'secret-key'));
  } catch (error) {
    throw dataDirTrouble(error, dataDir);
  }
}

async function openDatabase(dataDir: string, stop: AbortSignal): Promise<Embedded> {
  try {
    return await openEmbedded(dataDir, {}, stop);
  } catch (error) {
    if (stop.aborted) throw stop.reason;
    const isDatabase = error instanceof RecoveryError || isDatabaseAway(error);
    throw isDatabase ? databaseTrouble(error, undefined) : dataDirTrouble(error, dataDir);
  }
}

/** An error of a file has the same codes as one of a connection, and a path. */
const isDatabaseAway = (error: unknown) => isOutage(error) && !Object.hasOwn(error as Error, 'path');

async function reach(target: Target): Promise<void> {
  const probe = connect(target, 1);
  const silence = new AbortController();
  const silent = sleep(reachMs, undefined, { signal: silence.signal }).then(() => {
    throw new MigrationError('it does not answer');
  });
  try {
    // A server that hangs up before it has said anything is asked again and again by the driver, for ever.
    await Promise.race([probe.query(sql`select 1`), silent]);
  } finally {
    silence.abort();
    await probe.end({ timeoutMs: 0 });
  }
}

/** A database that cannot be reached, entered or used is the operator's to mend. */
function databaseTrouble(error: unknown, databaseUrl: string | undefined): unknown {
  const { code, message } = error as Error & { code?: string };
  const isForeseen = error instanceof MigrationError || error instanceof RecoveryError;
  if (!isForeseen && code === undefined) return error;
  const which = databaseUrl === undefined ? 'in DATA_DIR' : 'at DATABASE_URL';
  const why = [message, code && `(${code})`].filter(Boolean).join(' ');
  return new CommandError(`The database ${which} cannot be used: ${why}.`);
}

const notOurs = /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EEXIST|ENOTDIR|ENAMETOOLONG|ELOOP|EIO|ENOTSUP)$/;

function dataDirTrouble(error: unknown, dataDir: string): unknown {
  const { code, message, path: file } = error as Error & { code?: string; path?: string };
  if (error instanceof EmbeddedError || error instanceof LockedError) return new CommandError(message);
  // ENOENT also tells of a program that is missing, which is not a fault of DATA_DIR.
  const isMissing = code === 'ENOENT' && file && (file.startsWith(dataDir) || dataDir.startsWith(file));
  const known =
    notOurs.test(code ?? '') || isMissing || code === 'ERR_SQLITE_ERROR' || /is damaged/.test(message);
  return known ? new CommandError(`DATA_DIR is ${dataDir}, which cannot be used: ${message}.`) : error;
}
