/** What each action costs: rows by table, statements, entries of the change log, write-ahead log, and network. */
import os from 'node:os';
import path from 'node:path';
import type { Target } from '#pg';
import { listTables } from '../../src/cli/backup/tables.ts';
import { readConfig } from '../../src/config/config.ts';
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { buildApp } from '../../src/server/build-app.ts';
import { connectSql, openSql, type SqlConnection } from '../../test/support/sql-tag.ts';
import { startWireCounter, type WireCounter } from './wire-counter.ts';

const messageText = 'Shall I bring the bread, or the soup?';

const count = 50;

type Body = Record<string, unknown>;
type Person = { token: string; id: string };
type Call = (method: string, path: string, token?: string, body?: Body) => Promise<Body>;

/** Runs each action 50 times, one after the other, and prints what one of them costs. */
export async function measureActions(target: Target): Promise<void> {
  if (typeof target === 'string') throw new Error('the embedded database has a socket');
  const { socketDir, port, user, password, database } = target;
  const toDatabase = await startWireCounter({ path: path.join(socketDir, `.s.PGSQL.${port}`) }, true);
  const db = connectSql(`postgres://${user}:${password}@127.0.0.1:${toDatabase.port}/${database}`);
  const dataDir = path.join(os.tmpdir(), `potluck-growth-${process.pid}`);
  const config = readConfig({
    LOG_LEVEL: 'silent',
    PORT: '0',
    SMS_DRIVER: 'console',
    DATA_DIR: dataDir,
    DEMO: 'off',
  });
  const app = await buildApp({
    config: { ...config, secretKey: 'the-key-of-the-benchmark-is-no-secret' },
    db,
  });
  const url = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const toServer = await startWireCounter({ port: Number(url.port), host: url.hostname }, false);
  const sql = await openSql(target, 'growth');
  try {
    const measure = createMeasure(sql, toDatabase, toServer);
    await runActions(measure, callOf(`http://127.0.0.1:${toServer.port}`), () =>
      deliverCauses({ db, clock: () => new Date(), mailer: { isOn: false } }),
    );
  } finally {
    await app.close();
    await db.end();
    await sql.end();
    toServer.close();
    toDatabase.close();
  }
}

const callOf =
  (url: string): Call =>
  async (method, path, token, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text.startsWith('{') ? JSON.parse(text) : {};
  };

type Measure = (name: string, action: (i: number) => Promise<unknown>, times?: number) => Promise<void>;

function createMeasure(sql: SqlConnection, toDatabase: WireCounter, toServer: WireCounter): Measure {
  return async (name, action, times = count) => {
    const before = await readCounters(sql);
    const [database, server] = [{ ...toDatabase.traffic }, { ...toServer.traffic }];
    for (let i = 0; i < times; i++) await action(i);
    const [databaseAfter, serverAfter] = [{ ...toDatabase.traffic }, { ...toServer.traffic }];
    const after = await readCounters(sql);
    const per = (value: number) => Math.round((value / count) * 100) / 100;
    const rows = Object.entries(after.rows)
      .map(([table, number]) => [table, per(number - (before.rows[table] ?? 0))] as const)
      .filter(([table, number]) => number !== 0 && table !== 'changes');
    console.log(
      [
        name,
        per(databaseAfter.statements - database.statements),
        per(after.changes - before.changes),
        Math.round(per(after.wal - before.wal)),
        Math.round(per(databaseAfter.bytesSent - database.bytesSent)),
        Math.round(per(databaseAfter.bytesReceived - database.bytesReceived)),
        Math.round(per(serverAfter.bytesSent - server.bytesSent)),
        Math.round(per(serverAfter.bytesReceived - server.bytesReceived)),
        rows.map(([table, number]) => `${table} ${number}`).join(', ') || '–',
      ].join('\t'),
    );
  };
}

type Counters = { rows: Record<string, number>; changes: number; wal: number };

async function readCounters(sql: SqlConnection): Promise<Counters> {
  const rows: Record<string, number> = {};
  for (const { name } of await listTables(sql)) {
    const [row] = await sql.text<{ n: string }>(`select count(*) as n from ${name}`);
    rows[name] = Number(row?.n);
  }
  const [row] = await sql<[{ changes: string; wal: string }]>`
    select (select sum(version) from change_shards) as changes, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal`;
  return { rows, changes: Number(row.changes), wal: Number(row.wal) };
}

const day = 86_400_000;
const eventBody = (i: number): Body => ({
  title: `Harbour potluck number ${i}`,
  description:
    'Everybody brings a dish for four people, and a plate. We meet at the harbour, and if it rains in the boat house.',
  startAt: new Date(Date.now() + day * (7 + i)).toISOString(),
  endAt: new Date(Date.now() + day * (7 + i) + day / 8).toISOString(),
  location: { address: 'Aker Brygge, Oslo', lat: 59.9106, lng: 10.7291 },
  category: 'food',
  capacity: 1_000,
});

async function runActions(measure: Measure, call: Call, deliver: () => Promise<void>): Promise<void> {
  const people: Person[] = [];
  const start = Date.now() % 1_000_000;
  const phone = (i: number) => `+1415${String(2_000_000 + ((start + i) % 7_000_000)).padStart(7, '0')}`;
  console.log(
    'action\tstatements\tchange log\tWAL\tto database\tfrom database\tto server\tfrom server\trows',
  );
  const signUp = async (i: number) => {
    const { devCode: code } = await call('POST', '/v1/auth/otp/request', undefined, { phone: phone(i) });
    const { accessToken, user } = await call('POST', '/v1/auth/otp/verify', undefined, {
      phone: phone(i),
      code,
    });
    people[i] = { token: accessToken as string, id: (user as Person).id };
  };
  // The first requests on a connection prepare statements.
  for (let i = 2 * count; i < 3 * count; i++) await signUp(i);
  await measure('sign-up', signUp);
  const guest = (i: number) => people[i] as Person;
  const organizer = people[2 * count] as Person;
  const events: string[] = [];
  const create = async (i: number) => {
    events[i] = (await call('POST', '/v1/events', organizer.token, eventBody(i))).id as string;
  };
  await create(count);
  await measure('event', create);
  const event = events[0];
  const items: string[] = [];
  await measure('item', async (i) => {
    const item = { title: 'Sourdough bread', kind: 'bring', quantityNeeded: 100 };
    items[i] = (await call('POST', `/v1/events/${event}/items`, organizer.token, item)).id as string;
  });
  await call('GET', `/v1/events/${events[count]}`);
  await measure('view of an event, first', (i) => call('GET', `/v1/events/${events[i]}`, guest(i).token));
  await measure('view of an event, cached', (i) => call('GET', `/v1/events/${events[i]}`, guest(i).token));
  await measure('list of 20 events', (i) =>
    call('GET', `/v1/events?lat=59.9&lng=10.7&radius=50`, guest(i).token),
  );
  await measure('search', (i) => call('GET', `/v1/events/search?q=harbour`, guest(i).token));
  await measure('RSVP', (i) => call('POST', `/v1/events/${event}/rsvp`, guest(i).token, { status: 'going' }));
  await measure('claim', (i) => call('POST', `/v1/items/${items[i]}/claim`, guest(i).token, { quantity: 1 }));
  await measure('booking', (i) => call('POST', `/v1/events/${event}/booking`, guest(i).token, { seats: 1 }));
  await measure('save', (i) => call('POST', `/v1/events/${event}/save`, guest(i).token, { saved: true }));
  const other = (i: number) => people[2 * count + i] as Person;
  await measure('follow', (i) => call('POST', `/v1/users/${other(i).id}/follow`, guest(i).token));
  await measure('notification (50 at once)', deliver, 1);
  await measure('first message', (i) =>
    call('POST', `/v1/users/${other(i).id}/messages`, guest(i).token, {
      text: messageText,
    }),
  );
  await measure('further message', (i) =>
    call('POST', `/v1/users/${other(i).id}/messages`, guest(i).token, {
      text: messageText,
    }),
  );
  await measure('messages of a conversation', (i) =>
    call('GET', `/v1/users/${other(i).id}/messages`, guest(i).token),
  );
  await deliver();
  await measure('notifications', (i) => call('GET', '/v1/notifications', other(i).token));
  await measure('profile', (i) => call('GET', `/v1/users/${other(i).id}`, guest(i).token));
  await measure('feed', (i) => call('GET', '/v1/feed', guest(i).token));
}
