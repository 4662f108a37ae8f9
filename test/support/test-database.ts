/**
 * The PostgreSQL server of the test run, and the databases that tests create on it: the embedded one, or the server at
 * `TEST_DATABASE_URL`. If that database is on the coordinator of a cluster with Citus, databases are created on each of
 * its nodes, and tests clone a distributed template.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCitus, raw, sql, type Target } from '#pg';
import { distribute } from '../../src/cli/distribute.ts';
import { migrate } from '../../src/schema/migrate.ts';
import { openSql, type SqlConnection } from './sql-tag.ts';

/** Why a test of the embedded database is skipped; `false` if it runs, as the option `skip` of a test takes it. */
export const skipsEmbedded: string | false =
  process.env.TEST_DATABASE_URL !== undefined &&
  'This is about the embedded database, and TEST_DATABASE_URL names another one.';

/** Why a test that needs a cluster with Citus is skipped; `false` if the run has one. */
export const skipsCitus = (): string | false =>
  nodesOfRun().length === 1 &&
  'This needs a cluster with Citus: see "Tests on another PostgreSQL" in CONTRIBUTING.md.';

/** Whether the run has a cluster with Citus. */
export const isOnCitus = (): boolean => nodesOfRun().length > 1;

/** `why`, if the run has a cluster with Citus, on which a test does not show what it is about; else `false`. */
export const skipsOnCitus = (why: string): string | false => isOnCitus() && why;

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

/** Returns a variable that `test-run.ts` sets. */
export function variable(name: string): string {
  const value = process.env[name];
  assert.ok(value, 'run tests through npm: npm test, or npm run test:one -- FILE');
  return value;
}

/** Creates a migrated database, which is removed after the run; on Citus, a distributed one. */
export async function cloneDatabase(): Promise<string> {
  return createDatabase(nodesOfRun(), `template ${nameIn('template')}`);
}

/** Creates a database without tables, which is removed after the run; on Citus, one without the extension. */
export async function createEmptyDatabase(): Promise<string> {
  return createDatabase(nodesOfRun().slice(0, 1), '');
}

/** Creates a database without tables that has the extension Citus and the nodes of the cluster. */
export async function createCitusDatabase(): Promise<string> {
  const nodes = nodesOfRun();
  const database = await createDatabase(nodes, '');
  await connectNodes(nodes, new URL(database).pathname.slice(1));
  return database;
}

const nameIn = (name: string) => `${prefix}${variable('POTLUCK_TEST_RUN')}_${name}`;

/** The URLs of the nodes, the coordinator first; without Citus, the URL of the server alone. */
const nodesOfRun = (): string[] => JSON.parse(variable('POTLUCK_TEST_NODES'));

/** Creates a database of the run on each of the nodes. @returns its URL on the first node */
async function createDatabase(nodes: string[], options: string): Promise<string> {
  const database = nameIn(randomName());
  await Promise.all(
    nodes.map(async (node) => {
      const admin = await openSql(node, 'tests');
      await admin`create database ${raw(database)} ${raw(options)}`;
      await admin.end();
    }),
  );
  return urlOf(variable('POTLUCK_TEST_SERVER'), { database });
}

/**
 * Prepares the server for a run, with a migrated template that tests clone.
 * @returns a function that removes the databases of the run, and of runs that were killed
 */
export async function openRun(server: string): Promise<() => Promise<void>> {
  const run = randomName();
  const nodes = await findNodes(server);
  // Its name shows every other run on the server that this one is not over.
  const presences = await Promise.all(nodes.map((node) => openSql(node, `tests ${run}`)));
  process.env.POTLUCK_TEST_SERVER = server;
  process.env.POTLUCK_TEST_NODES = JSON.stringify(nodes);
  process.env.POTLUCK_TEST_RUN = run;
  await Promise.all(presences.map(dropDatabasesOfEndedRuns));
  await createTemplate(presences, nodes);
  return async () => {
    await Promise.all(
      presences.map(async (presence) => {
        await presence`set application_name = 'potluck tests'`;
        await dropDatabasesOfEndedRuns(presence);
        await presence.end();
      }),
    );
  };
}

/** Returns the URLs of the nodes of a cluster with Citus, the coordinator first; of another server, its URL. */
async function findNodes(server: string): Promise<string[]> {
  const sql = await openSql(server, 'tests');
  try {
    if (!(await hasCitus(sql))) return [server];
    const workers = await sql<{ address: string }[]>`
      select nodename || ':' || nodeport as address from pg_dist_node
      where groupid <> 0 and noderole = 'primary' and isactive order by groupid`;
    return [server, ...workers.map(({ address }) => urlOf(server, { address }))];
  } finally {
    await sql.end();
  }
}

/** Creates the template on each node of the run. */
async function createTemplate(presences: SqlConnection[], nodes: string[]): Promise<void> {
  const template = nameIn('template');
  await Promise.all(presences.map((presence) => presence`create database ${raw(template)}`));
  const url = urlOf(variable('POTLUCK_TEST_SERVER'), { database: template });
  if (nodes.length === 1) return void (await migrate(url));
  await connectNodes(nodes, template);
  await migrate(url);
  await distribute(url);
  await Promise.all(presences.map((presence) => closeTemplate(presence, template)));
}

/** Few shards: each one is a table on a node, and creating, cloning and dropping them takes most of a short test. */
const shardCount = 4;

/** Makes the databases with the same name on all nodes a cluster: what Citus keeps of the nodes is in each database. */
async function connectNodes([coordinator = '', ...workers]: string[], database: string): Promise<void> {
  for (const node of [coordinator, ...workers]) {
    const sql = await openSql(urlOf(node, { database }), 'tests');
    await sql`create extension citus`;
    await sql.end();
  }
  const sql = await openSql(urlOf(coordinator, { database }), 'tests');
  for (const { hostname, port } of workers.map((worker) => new URL(worker)))
    await sql`select citus_add_node(${hostname}, ${Number(port)})`;
  await sql`alter database ${raw(database)} set citus.shard_count = ${raw(`${shardCount}`)}`;
  await sql.end();
}

/** Ends the connections to the template, those of Citus as well: a database in use cannot be cloned. */
async function closeTemplate(admin: SqlConnection, template: string): Promise<void> {
  await admin`alter database ${raw(template)} allow_connections false`;
  const end = () => admin`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = ${template}`;
  while ((await end()).length > 0) await sleep(50);
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
