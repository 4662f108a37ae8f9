/** Database connections: connection failures, the wait for a free connection, and lost connections. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setPatience } from '#base';
import { ConnectionLostError, isTransient, openConnection, raw, sql, transactionOn } from '#pg';
import { openRelay } from '../support/relay.ts';
import { connectSql } from '../support/sql-tag.ts';
import { cloneDatabase, connectTo, urlOf } from '../support/test-database.ts';

// The time limits of a server, which the apps of other files have stretched.
setPatience(1);

test('connect: at most 20 attempts a second to a database that closes connections, and queries fail without delay', async () => {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts++;
    socket.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sql = connectSql(`postgres://reader@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`);
  const until = performance.now() + 2_000;
  let failures = 0;
  const queryUntilEnd = async () => {
    while (performance.now() < until) {
      await assert.rejects(sql`select 1`);
      failures++;
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: 20 }, queryUntilEnd));
  assert.ok(attempts >= 2 && attempts <= 40, `${attempts} attempts in two seconds`);
  assert.ok(failures > attempts, `${failures} queries failed, and there were ${attempts} attempts`);
  await sql.end({ timeoutMs: 0 });
  server.close();
});

test('migrations and maintenance: time limits of the role or the database do not apply', async () => {
  const target = await cloneDatabase();
  const first = await openConnection(target, 'tests');
  const [row] = await first.query<{ name: string }>(sql`select quote_ident(current_database()) as name`);
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
    await first.query(raw(`alter database ${row?.name} set ${limit} = '30ms'`));
  const connection = await openConnection(target, 'tests');
  await transactionOn(connection, async () => {
    await connection.query(sql`select pg_sleep(0.1)`);
    await sleep(100);
  });
  await first.query(sql`select pg_advisory_lock(1)`);
  const waiting = connection.query(sql`select pg_advisory_lock(1)`);
  await sleep(100);
  await first.end();
  await waiting;
  await connection.end();
});

test('end: a later statement is refused and opens no connection', async () => {
  const target = await cloneDatabase();
  const sql = connectSql(target);
  await sql`select 1`;
  await sql.end();
  await assert.rejects(sql`select 1`, ConnectionLostError);
  const other = connectSql(target);
  const [row] = await other`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name = 'potluck'`;
  await other.end();
  assert.equal(row?.n, 1);
});

test('connect: after attempts that the guard refused, a connection that falls silent fails its query alone', async () => {
  const target = await cloneDatabase();
  let mode: 'refuse' | 'serve' | 'silent' = 'refuse';
  const server = createServer((client) => {
    client.on('error', () => {});
    if (mode === 'refuse') return void client.destroy();
    const upstream = connectTo(target).on('error', () => {});
    client
      .on('data', (bytes) => mode === 'serve' && upstream.write(bytes))
      .on('close', () => upstream.destroy());
    upstream.on('data', (bytes) => client.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: proxyPort } = server.address() as AddressInfo;
  const sql = connectSql(urlOf(target, { address: `127.0.0.1:${proxyPort}` }));
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => sql`select 1`));
  assert.ok(outcomes.every(({ status }) => status === 'rejected'));
  mode = 'serve';
  await sleep(300);
  assert.equal((await sql<{ n: number }[]>`select 1 as n`)[0]?.n, 1);
  mode = 'silent';
  // The sockets of the refused attempts are quiet too: to close them must not end the process.
  await assert.rejects(sql`select 1`);
  await sql.end({ timeoutMs: 0 });
  server.close();
});

/** Runs the query until it succeeds. */
async function untilSuccess(query: () => Promise<unknown>): Promise<void> {
  const isDone = () =>
    query().then(
      () => true,
      () => false,
    );
  while (!(await isDone())) await sleep(20);
}

test('connect: of several hosts, the one that accepts connections is used', async () => {
  const target = await cloneDatabase();
  const relays = [await openRelay(target), await openRelay(target)] as const;
  await relays[1].close();
  const address = relays.map((relay) => relay.address).join(',');
  const sql = connectSql(urlOf(target, { address: 'host:1' }).replace('host:1', address));
  for (const [open, closed] of [
    [0, 1],
    [1, 0],
    [0, 1],
  ] as const) {
    await relays[closed].close().catch(() => {});
    await relays[open].open().catch(() => {});
    await untilSuccess(() => sql`select 1`);
    await untilSuccess(() => sql.begin((tx) => tx`select 1`));
  }
  await sql.end({ timeoutMs: 0 });
  for (const relay of relays) await relay.close().catch(() => {});
});

test('connect: target_session_attrs=read-write refuses a read-only database until it accepts writes', async () => {
  const target = await cloneDatabase();
  const admin = connectSql(target, 1);
  const database = new URL(target).pathname.slice(1);
  const setReadOnly = (value: string) =>
    admin.text(`alter database ${database} set default_transaction_read_only = ${value}`);
  await setReadOnly('on');
  const url = new URL(target);
  url.searchParams.set('target_session_attrs', 'read-write');
  const sql = connectSql(url.href, 2);
  await assert.rejects(sql`select 1`, { code: 'STANDBY' });
  await assert.rejects(
    sql.begin((tx) => tx`select 1`),
    { code: 'STANDBY' },
  );
  // The connection of `admin` was opened before.
  await setReadOnly('off');
  await untilSuccess(() => sql`create table marks (n int)`);
  await Promise.all([sql.end(), admin.end()]);
});

test('transaction: unavailable after a bounded wait while every connection is in use, and success afterwards', async () => {
  const sql = connectSql(await cloneDatabase(), 1);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = sql.begin(async (tx) => {
    await tx`select 1`;
    await held;
  });
  await assert.rejects(
    sql.begin((tx) => tx`select 2`),
    isTransient,
  );
  release();
  await first;
  const [row] = await sql.begin((tx) => tx`select 3 as three`);
  assert.equal(row?.three, 3);
  await sql.end({ timeoutMs: 1_000 });
});

test('transaction: fails as a whole if its connection is lost, and no statement runs on another connection', async () => {
  const sql = connectSql(await cloneDatabase(), 2);
  await sql`create table marks (n int)`;
  await assert.rejects(
    sql.begin(async (tx) => {
      await tx`insert into marks values (1)`;
      const [row] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await sql`select pg_terminate_backend(${row.pid})`;
      await sleep(100);
      await tx`insert into marks values (2)`;
    }),
  );
  assert.deepEqual([...(await sql`select n from marks`)], []);
  await sql.begin((tx) => tx`insert into marks values (3)`);
  assert.deepEqual([...(await sql`select n from marks`)], [{ n: 3 }]);
  await sql.end({ timeoutMs: 1_000 });
});

test('parameters: PostgreSQL receives arrays of strings unchanged, with quotes, backslashes, commas and nulls', async () => {
  const sql = connectSql(await cloneDatabase(), 1);
  const special = ['', ' ', 'null', 'NULL', 'a,b', '{}', '{a}', "'", '\n', 'ø 🥘', '$1'];
  for (const texts of [
    [],
    ['a'],
    special,
    [...special, '"'],
    [...special, '\\'],
    ['"', '\\"', ',"'],
    ['a', null],
  ]) {
    const [row] = await sql`select ${texts}::text[] as texts`;
    assert.deepEqual(row?.texts, texts);
  }
  await sql.end();
});
