/** Opens the database for a command, embedded or at DATABASE_URL, and closes it afterwards. */
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDirectory, readOrCreateSecret } from '#base';
import { type Embedded, EmbeddedError, LockedError, openEmbedded } from '#embedded-postgres';
import {
  ConnectionLostError,
  connect,
  crashing,
  type Database,
  isOutage,
  RecoveryError,
  sql,
  startingUp,
  type Target,
  untilRecovered,
} from '#pg';
import type { Config, ReadyConfig } from '../../config/config.ts';
import { MigrationError, migrate } from '../../schema/migrate.ts';
import { CommandError } from './command-error.ts';
import { backUpBeforeMigration } from './migration-backup.ts';
import { stopSignal, unlessStopped } from './stop.ts';

export type CommandContext = {
  config: ReadyConfig;
  target: Target;
  db: Database;
  /** The names of the migrations that were applied when the database was opened. */
  migrations: string[];
  /** The backup that was written before them; null if there is none. */
  backup: string | null;
};

/** Where the database is. */
type Place = Pick<Config, 'databaseUrl' | 'dataDir'>;

/** The time limit for the first query. Migrations have no time limit. */
const connectTimeoutMs = 6_000;

/**
 * Runs `work` with an open, migrated database, and stops waiting for it at a stop signal.
 * @throws as `withCommandContext`
 */
export function runCommand(config: Config, work: (context: CommandContext) => Promise<void>): Promise<void> {
  const stop = stopSignal();
  return withCommandContext(config, stop, (context) => unlessStopped(work(context), stop));
}

/**
 * Opens the database, runs `work` and closes the database, also after an error. The embedded database is
 * started if no other process runs it. Pending migrations are applied.
 * @throws CommandError for an error that the operator can fix; Interrupted for a stop signal before `work`
 *   begins
 */
export async function withCommandContext(
  config: Config,
  stop: AbortSignal,
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  stop.throwIfAborted();
  const secretKey = config.secretKey ?? (await readSecretKey(config.dataDir));
  const done: Pick<CommandContext, 'migrations' | 'backup'> = { migrations: [], backup: null };
  const { target, close } = await openTarget(config, stop, async (target) => {
    done.migrations = await migrate(target, stop, async (db, next) => {
      done.backup = await backUpBeforeMigration(config, { target, db, next, stop });
    });
  });
  const db = connect(target);
  try {
    await work({ config: Object.freeze({ ...config, secretKey }), target, db, ...done });
  } catch (error) {
    throw isDatabaseOutage(error) ? toDatabaseError(error, config.databaseUrl) : error;
  } finally {
    await db.end({ timeoutMs: 500 });
    await close();
  }
}

/**
 * Opens the database without migrating it, runs `work` and closes the database, also after an error.
 * @param mustExist fail instead of creating an embedded database
 * @throws CommandError for an error that the operator can fix
 */
export async function withDatabase(
  config: Place,
  { stop, mustExist = false }: { stop: AbortSignal; mustExist?: boolean },
  work: (target: Target) => Promise<void>,
): Promise<void> {
  stop.throwIfAborted();
  const { databaseUrl, dataDir } = config;
  if (mustExist && (await hasNoDatabase(config)))
    throw new CommandError(`DATA_DIR is ${dataDir}, which contains no database.`);
  const { target, close } = await openTarget(config, stop, async () => {});
  try {
    await work(target);
  } catch (error) {
    const isFinal = error instanceof CommandError || stop.aborted;
    throw isFinal ? error : toDatabaseError(error, databaseUrl);
  } finally {
    await close();
  }
}

/** Whether an embedded database would have to be created. */
export const hasNoDatabase = async ({ databaseUrl, dataDir }: Place): Promise<boolean> =>
  databaseUrl === undefined && !(await lstat(path.join(dataDir, 'postgres')).catch(() => null));

type OpenTarget = { target: Target; close(): Promise<void> };

async function openTarget(
  { databaseUrl, dataDir }: Place,
  stop: AbortSignal,
  prepare: (target: Target) => Promise<unknown>,
): Promise<OpenTarget> {
  const embedded = databaseUrl === undefined ? await openEmbeddedDatabase(dataDir, stop) : null;
  const target = databaseUrl ?? (embedded as Embedded).target;
  const close = async () => embedded?.close();
  try {
    const codes = embedded ? crashing : startingUp;
    const open = () => testConnection(target).then(() => prepare(target));
    await unlessStopped(untilRecovered(open, { codes, signal: stop }), stop);
  } catch (error) {
    await close();
    throw stop.aborted ? stop.reason : toDatabaseError(error, databaseUrl);
  }
  return { target, close };
}

/**
 * Creates the directory if necessary, and returns its secret key. Sessions stay valid because the key is
 * stored.
 */
async function readSecretKey(dataDir: string): Promise<string> {
  try {
    await makeDirectory(dataDir);
    return await readOrCreateSecret(path.join(dataDir, 'secret-key'));
  } catch (error) {
    throw toDataDirError(error, dataDir);
  }
}

async function openEmbeddedDatabase(dataDir: string, stop: AbortSignal): Promise<Embedded> {
  try {
    return await openEmbedded(dataDir, {}, stop);
  } catch (error) {
    if (stop.aborted) throw stop.reason;
    const isDatabase = error instanceof RecoveryError || isDatabaseOutage(error);
    throw isDatabase ? toDatabaseError(error, undefined) : toDataDirError(error, dataDir);
  }
}

/** File system errors share codes with connection errors, but have a `path`. */
const isDatabaseOutage = (error: unknown) => isOutage(error) && !Object.hasOwn(error as Error, 'path');

/** @throws MigrationError if the database does not respond in time */
async function testConnection(target: Target): Promise<void> {
  const probe = connect(target, 1);
  const timer = new AbortController();
  const timeout = sleep(connectTimeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new MigrationError('it does not answer');
  });
  try {
    // The driver retries without limit when the server closes the connection before its first response.
    await Promise.race([probe.query(sql`select 1`), timeout]);
  } finally {
    timer.abort();
    await probe.end({ timeoutMs: 0 });
  }
}

/** Turns errors of the database into a CommandError, and returns all other errors unchanged. */
export function toDatabaseError(error: unknown, databaseUrl: string | undefined): unknown {
  const reason = databaseReason(error);
  if (reason === null) return error;
  const which = databaseUrl === undefined ? 'in DATA_DIR' : 'at DATABASE_URL';
  return new CommandError(`The database ${which} cannot be used: ${reason}.`);
}

/** Why a database cannot be used, with the code of the error; null for an error that no database caused. */
export function databaseReason(error: unknown): string | null {
  const { code, message, cause } = error as Error & { code?: string };
  const isExpected = error instanceof MigrationError || error instanceof RecoveryError;
  if (!isExpected && code === undefined) return null;
  // PostgreSQL or the system says why there is no connection; of several addresses, each has its reason.
  const [first] = cause instanceof AggregateError ? cause.errors : [cause];
  const text = (error instanceof ConnectionLostError && (first as Error | null)?.message) || message;
  return [text, code && `(${code})`].filter(Boolean).join(' ');
}

/** Codes of file system errors that the operator can fix. */
const operatorErrors = /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EEXIST|ENOTDIR|ENAMETOOLONG|ELOOP|EIO|ENOTSUP)$/;

/** Turns errors of files in DATA_DIR into a CommandError, and returns all other errors unchanged. */
export function toDataDirError(error: unknown, dataDir: string): unknown {
  const { code, message, path: file } = error as Error & { code?: string; path?: string };
  if (error instanceof EmbeddedError || error instanceof LockedError) return new CommandError(message);
  // ENOENT also means a missing executable, which is not an error of DATA_DIR.
  const isMissing = code === 'ENOENT' && file && (file.startsWith(dataDir) || dataDir.startsWith(file));
  const isExpected =
    operatorErrors.test(code ?? '') || isMissing || code === 'ERR_SQLITE_ERROR' || /is damaged/.test(message);
  return isExpected ? new CommandError(`DATA_DIR is ${dataDir}, which cannot be used: ${message}.`) : error;
}
