/**
 * The environment of a program: a PostgreSQL in a temporary directory, server processes, and signed-in users.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { newId } from '#base';
import { type Embedded, openEmbedded } from '#embedded-postgres';
import type { Target } from '#pg';
import { newPair } from '../src/identity/tokens.ts';
import { createTempDir, postmasterOf, type Server, serve } from '../test/support/processes.ts';
import { connectSql, type SqlDatabase } from '../test/support/sql-tag.ts';
import { type Client, openClient } from './client.ts';

export type EnvironmentOptions = {
  /** The number of server processes on the database; default 2. */
  servers?: number;
  /** Additional environment variables; by default the servers send no SMS and have no demo. */
  env?: Record<string, string>;
  /** What the first servers run; default: this version. */
  program?: string;
  /** The database that DATABASE_URL names; default: the embedded database of the servers. */
  target?: Target;
  /** The parent of the data directory; default: the system's directory for temporary files. */
  parentDir?: string;
  /**
   * Leaves the embedded database to the servers alone. By default this process holds its lock too, so that the
   * database runs on while the servers are restarted.
   */
  leavesDatabaseToServers?: true;
};

export type Person = { id: string; token: string };

export type Environment = {
  dataDir: string;
  env: Record<string, string>;
  /** Direct access to the database, to prepare data and to check it. */
  sql: SqlDatabase;
  servers: Server[];
  /** Sends requests to the servers in rotation, or to a given server. */
  client: Client;
  /** Starts another server, of this version. */
  start(env?: Record<string, string>): Promise<Server>;
  /** Kills a server and starts another. @returns the new server, when it is ready */
  replace(at: number): Promise<Server>;
  /** Creates signed-in users by SQL, so that 10,000 of them take seconds. */
  people(count: number): Promise<Person[]>;
  postmaster(): Promise<number>;
  close(): Promise<void>;
};

export const secretKey = 'the-secret-key-of-the-torture-programs';

export async function openEnvironment({
  servers: count = 2,
  env: extraEnv = {},
  program,
  target,
  parentDir,
  leavesDatabaseToServers,
}: EnvironmentOptions = {}): Promise<Environment> {
  const dataDir = await createTempDir(parentDir);
  const env = { DATA_DIR: dataDir, SECRET_KEY: secretKey, DEMO: 'off', ...extraEnv };
  const servers: Server[] = [];
  const client = openClient(() => servers);
  const start = async (overrides: Record<string, string> = {}, from?: string) => {
    const server = await serve({ program: from, env: { ...env, ...overrides } });
    servers.push(server);
    return server;
  };
  let embedded: Embedded | undefined;
  let sql: SqlDatabase | undefined;
  const close = async () => {
    client.close();
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 11_000);
      await ended;
      clearTimeout(killTimer);
    }
    await sql?.end({ timeoutMs: 1_000 });
    await embedded?.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    for (let i = 0; i < count; i++) await start({}, program);
    if (!target) embedded = await openEmbedded(dataDir);
    sql = connectSql(target ?? (embedded as Embedded).target, 4);
    if (leavesDatabaseToServers) {
      await embedded?.close();
      embedded = undefined;
    }
  } catch (error) {
    await close();
    throw error;
  }
  const pool = sql;
  return {
    dataDir,
    env,
    sql: pool,
    servers,
    client,
    start: (overrides) => start(overrides),
    replace: async (at) => {
      const [server] = servers.splice(at, 1);
      server?.child.kill('SIGKILL');
      await server?.ended;
      return start();
    },
    people: (number) => insertPeople(pool, number),
    postmaster: () => postmasterOf(dataDir),
    close,
  };
}

const batchSize = 1_000;

async function insertPeople(sql: SqlDatabase, count: number): Promise<Person[]> {
  const people: Person[] = [];
  while (people.length < count) {
    const rows = Array.from({ length: Math.min(batchSize, count - people.length) }, createUserRow);
    await sql`
      insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
      select id, phone, username, username, '', '', false, 'user', ' ' || username, now()
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ phone }) => phone)}::text[],
        ${rows.map(({ username }) => username)}::text[]) r (id, phone, username)`;
    await sql`
      insert into user_counters (user_id, followers_count, following_count, events_count)
      select id, 0, 0, 0 from unnest(${rows.map(({ id }) => id)}::uuid[]) r (id)`;
    await sql`
      insert into contacts (user_id, contact)
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ phone }) => phone)}::text[])`;
    await sql`
      insert into usernames (user_id, username)
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ username }) => username)}::text[])`;
    const now = new Date();
    const tomorrow = new Date(now.getTime() + 86_400_000);
    // With the columns that the last release has, too.
    await sql.begin((tx) =>
      Promise.all(
        rows.map(
          ({ ids: { userId, sessionId }, pair: { accessHash, refreshHash } }) => tx`
          insert into sessions (user_id, id, access_hash, refresh_hash, refreshed_at, access_expires_at, refresh_expires_at,
            ends_at, created_at, user_agent)
          values (${userId}, ${sessionId}, ${accessHash}, ${refreshHash}, ${now}, ${tomorrow}, ${tomorrow}, ${tomorrow}, ${now}, '')`,
        ),
      ),
    );
    people.push(...rows.map(({ id, pair }) => ({ id, token: pair.accessToken })));
  }
  return people;
}

function createUserRow() {
  const id = newId();
  const ids = { userId: id, sessionId: newId() };
  const username = `p${randomBytes(8).toString('hex')}`;
  return { id, ids, username, phone: `+1${randomBytes(6).readUIntBE(0, 6)}`, pair: newPair(secretKey, ids) };
}
