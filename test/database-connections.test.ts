/** How the server connects to a database that hangs up, and what a transaction gets when there is no connection. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../src/db/connect.ts';
import { transaction } from '../src/db/transaction.ts';
import { Problem } from '../src/errors.ts';
import { cloneDatabase } from './setup.ts';

test('connect: a database that hangs up at the start is tried at most 20 times a second, and nobody waits for it', async () => {
  let attempts = 0;
  const server = createServer((socket) => {
    attempts++;
    socket.on('error', () => {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sql = connect(`postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/nothing`);
  const until = performance.now() + 2_000;
  let refused = 0;
  const ask = async () => {
    while (performance.now() < until) {
      await assert.rejects(sql`select 1`);
      refused++;
      await sleep(5);
    }
  };
  await Promise.all(Array.from({ length: 20 }, ask));
  assert.ok(attempts >= 2 && attempts <= 40, `${attempts} attempts in two seconds`);
  assert.ok(refused > 20, `${refused} were told`);
  await sql.end({ timeout: 0 });
  server.close();
});

test('connect: what the driver keeps of its connections does not grow with every query', async () => {
  const sql = connect(await cloneDatabase(), 4);
  await Promise.all(Array.from({ length: 4 }, () => sql`select 1`));
  const { indexOf } = Array.prototype;
  let longest = 0;
  Array.prototype.indexOf = function (this: unknown[], ...wanted: [unknown, number?]) {
    longest = Math.max(longest, this.length);
    return indexOf.apply(this, wanted);
  };
  try {
    for (let i = 0; i < 12_000; i++) await sql`select 1`;
  } finally {
    Array.prototype.indexOf = indexOf;
    await sql.end({ timeout: 1 });
  }
  assert.ok(longest > 0 && longest < 100, `${longest} places for 4 connections`);
});

test('transaction: unavailable after a bounded wait when every connection is taken, and served again after', async () => {
  const sql = connect(await cloneDatabase(), 1);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const first = transaction(sql, async (tx) => {
    await tx`select 1`;
    await held;
  });
  const since = performance.now();
  await assert.rejects(
    transaction(sql, (tx) => tx`select 2`),
    (error) => error instanceof Problem && error.code === 'unavailable',
  );
  assert.ok(performance.now() - since < 4_900);
  letGo();
  await first;
  const [row] = await transaction(sql, (tx) => tx`select 3 as three`);
  assert.equal(row?.three, 3);
  await sql.end({ timeout: 1 });
});

test('transaction: one whose connection is lost fails whole, and nothing of it runs on another', async () => {
  const sql = connect(await cloneDatabase(), 2);
  await sql`create table marks (n int)`;
  await assert.rejects(
    transaction(sql, async (tx) => {
      await tx`insert into marks values (1)`;
      const [row] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
      await sql`select pg_terminate_backend(${row.pid})`;
      await sleep(100);
      await tx`insert into marks values (2)`;
    }),
  );
  assert.deepEqual([...(await sql`select n from marks`)], []);
  await transaction(sql, (tx) => tx`insert into marks values (3)`);
  assert.deepEqual([...(await sql`select n from marks`)], [{ n: 3 }]);
  await sql.end({ timeout: 1 });
});
