/**
 * The PostgreSQL server of the test run, and the databases that tests create on it: the embedded one, or the server at
 * `TEST_DATABASE_URL`.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { migrate } from '../src/db/migrate.ts';
import { raw, sql } from '../src/db/sql.ts';
import type { Target } from '../src/db/target.ts';
import { openSql, type SqlConnection } from './sql-tag.ts';

/** Why a test of the embedded database is skipped; `false` if it runs, as the option `skip` of a test takes it. */
export const skipsEmbedded: string | false =
  process.env.TEST_DATABASE_URL !== undefined &&
  'This is about the embedded database, and TEST_DATABASE_URL names another one.';

const prefix = 'potluck_test_';
/** The names of `template` and of the databases of a run; `run` is 12 hexadecimal digits. */
const nameOfRun = `^${prefix}([0-9a-f]{12})_(template|[0-9a-f]{12})$`;
const randomName = () => randomBytes(6).toString('hex');

/** The server as a URL, so that tests can replace its address and its database. */
export function toUrl(target: Target): string {
  if (typeof target === 'string') return target;
  const { user, password, socketDir, port, database } = target;
  return `postgres://${user}:${password}@localhost:${port}/${database}?host=${encodeURIComponent(socketDir)}`;
}

/** @param address `HOST:PORT` of a relay in place of the server, or the directory of its socket with the port 5432 */
export function urlOf(url: string, { database, address }: { database?: string; address?: string }): string {
  const changed = new URL(url);
  if (database !== undefined) changed.pathname = `/${database}`;
  if (address !== undefined) {
    const isSocket = address.startsWith('/');
    changed.host = isSocket ? 'localhost:5432' : address;
    changed.searchParams.delete('host');
    if (isSocket) changed.searchParams.set('host', address);
  }
  return changed.href;
}

/** The same database on the replicas of the server, which `TEST_DATABASE_REPLICA_URLS` names, separated by commas. */
export function replicaUrlsOf(url: string): string[] {
  const database = new URL(url).pathname.slice(1);
  const replicas = process.env.TEST_DATABASE_REPLICA_URLS?.split(',') ?? [];
  return replicas.map((replica) => urlOf(replica, { database }));
}

/** Opens a socket to the server of a URL, for tests that relay connections. */
export function connectTo(url: string): Socket {
  const { hostname, port, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  const number = Number(port || 5432);
  return host.startsWith('/') ? connect(`${host}/.s.PGSQL.${number}`) : connect(number, host);
}

/** Returns a variable that `global-setup.ts` sets. */
export function variable(name: string): string {
  const value = process.env[name];
  assert.ok(value, 'run tests through npm: npm test, or npm run test:one -- FILE');
  return value;
}

/** Creates a migrated database, which is removed after the run. */
export const cloneDatabase = (): Promise<string> => createDatabase(`template ${nameIn('template')}`);

/** Creates a database without tables, which is removed after the run. */
export const createEmptyDatabase = (): Promise<string> => createDatabase('');

const nameIn = (name: string) => `${prefix}${variable('POTLUCK_TEST_RUN')}_${name}`;

async function createDatabase(options: string): Promise<string> {
  const server = variable('POTLUCK_TEST_SERVER');
  const database = nameIn(randomName());
  const admin = await openSql(server, 'tests');
  await admin`create database ${raw(database)} ${raw(options)}`;
  await admin.end();
  return urlOf(server, { database });
}

/**
 * Prepares the server for a run, with a migrated template that tests clone.
 * @returns a function that removes the databases of the run, and of runs that were killed
 */
export async function openRun(server: string): Promise<() => Promise<void>> {
  const run = randomName();
  // Its name shows every other run on the server that this one is not over.
  const presence = await openSql(server, `tests ${run}`);
  process.env.POTLUCK_TEST_SERVER = server;
  process.env.POTLUCK_TEST_RUN = run;
  await dropDatabasesOfEndedRuns(presence);
  const template = nameIn('template');
  await presence`create database ${raw(template)}`;
  await migrate(urlOf(server, { database: template }));
  return async () => {
    await presence`set application_name = 'potluck tests'`;
    await dropDatabasesOfEndedRuns(presence);
    await presence.end();
  };
}

/** Drops databases that have a name of a test run, belong to this role, and whose run has no connection any more. */
async function dropDatabasesOfEndedRuns(admin: SqlConnection): Promise<void> {
  const databases = await admin.query<{ name: string }>(sql`
    select d.datname as name from pg_database d
    where d.datname ~ ${nameOfRun} and d.datdba = (select oid from pg_roles where rolname = current_user)
      and not exists (select 1 from pg_stat_activity a
        where a.application_name = 'potluck tests ' || substring(d.datname from ${nameOfRun}))`);
  for (const { name } of databases) await admin`drop database if exists ${raw(name)} with (force)`;
}
