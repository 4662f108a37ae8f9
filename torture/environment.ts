/** A environment to mistreat: a real PostgreSQL in a place of its own, server processes on it, and people who are signed in. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Embedded, openEmbedded } from '../src/db/embedded/embedded.ts';
import type { Target } from '../src/db/target.ts';
import { newPair } from '../src/identity/tokens.ts';
import { newId } from '../src/lib/ids.ts';
import { insertSession } from '../src/modules/auth/session-repo.ts';
import { createTempDir, postmasterOf, type Server, serve } from '../test/processes.ts';
import { connectSql, type SqlDatabase } from '../test/sql-tag.ts';
import { type Client, openClient } from './client.ts';

export type EnvironmentOptions = {
  /** Server processes on the one database; default 2. */
  servers?: number;
  /** Variables beyond those of a server that sends nothing and has no demo. */
  env?: Record<string, string>;
  /** A database that the torture has made, and DATABASE_URL leads to; default: the embedded one of the servers. */
  target?: Target;
};

export type Person = { id: string; token: string };

export type Environment = {
  dataDir: string;
  env: Record<string, string>;
  /** Past the servers: to prepare, and to look at what they left. */
  sql: SqlDatabase;
  servers: Server[];
  /** Asks the servers in turn, or the one that is named. */
  client: Client;
  /** Starts one more, or one in the place of another that has ended. */
  start(env?: Record<string, string>): Promise<Server>;
  /** Kills a server and starts another; gives that once it is open. */
  replace(at: number): Promise<Server>;
  /** Signed in, with names, made past the servers so that ten thousand take seconds. */
  people(count: number): Promise<Person[]>;
  postmaster(): Promise<number>;
  close(): Promise<void>;
};

const secretKey = 'the-key-of-the-tortures-is-long-enough';

export async function openCommandContext({
  servers: count = 2,
  env: extra = {},
  target,
}: EnvironmentOptions = {}): Promise<Environment> {
  const dataDir = await createTempDir();
  const env = { DATA_DIR: dataDir, SECRET_KEY: secretKey, DEMO: 'off', ...extra };
  const servers: Server[] = [];
  const client = openClient(() => servers);
  const start = async (more: Record<string, string> = {}) => {
    const server = await serve({ env: { ...env, ...more } });
    servers.push(server);
    return server;
  };
  let embedded: Embedded | undefined;
  let sql: SqlDatabase | undefined;
  const close = async () => {
    client.close();
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 11_000);
      await ended;
      clearTimeout(late);
    }
    await sql?.end({ timeoutMs: 1_000 });
    await embedded?.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    for (let i = 0; i < count; i++) await start();
    if (!target) embedded = await openEmbedded(dataDir);
    sql = connectSql(target ?? (embedded as Embedded).target, 4);
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
    start,
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

const batch = 1_000;

async function insertPeople(sql: SqlDatabase, count: number): Promise<Person[]> {
  const people: Person[] = [];
  while (people.length < count) {
    const rows = Array.from({ length: Math.min(batch, count - people.length) }, aRow);
    await sql`
      insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
      select id, phone, username, username, '', '', false, 'user', ' ' || username, now()
      from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ phone }) => phone)}::text[],
        ${rows.map(({ username }) => username)}::text[]) r (id, phone, username)`;
    await sql`
      insert into user_counters (user_id, followers_count, following_count, events_count)
      select id, 0, 0, 0 from unnest(${rows.map(({ id }) => id)}::uuid[]) r (id)`;
    await sql`
      insert into phones (user_id, phone)
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ phone }) => phone)}::text[])`;
    await sql`
      insert into usernames (user_id, username)
      select * from unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ username }) => username)}::text[])`;
    const now = new Date();
    const later = new Date(now.getTime() + 86_400_000);
    const times = { now, accessExpiresAt: later, refreshExpiresAt: later, endsAt: later, userAgent: '' };
    await sql.begin((tx) => Promise.all(rows.map(({ ids, pair }) => insertSession(tx, ids, pair, times))));
    people.push(...rows.map(({ id, pair }) => ({ id, token: pair.accessToken })));
  }
  return people;
}

function aRow() {
  const id = newId();
  const ids = { userId: id, sessionId: newId() };
  const username = `p${randomBytes(8).toString('hex')}`;
  return { id, ids, username, phone: `+1${randomBytes(6).readUIntBE(0, 6)}`, pair: newPair(secretKey, ids) };
}
