/** Transactions: what is reported as committed is committed, and a deadlock is repeated. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sql, transaction } from '#pg';
import { connectSql } from '../support/sql-tag.ts';
import { cloneDatabase } from '../support/test-database.ts';

const db = connectSql(await cloneDatabase());
test.after(() => db.end());

const insert = (name: string) =>
  sql`insert into flags (name, enabled, changed_at) values (${name}, true, now())`;
const names = async () => (await db<{ name: string }[]>`select name from flags`).map(({ name }) => name);

test('transaction: rejects if PostgreSQL ends it with ROLLBACK, because a statement whose error was ignored had failed', async () => {
  const ending = transaction(db, async (tx) => {
    await tx.execute(insert('lost'));
    await tx.query(sql`select 1 / 0`).catch(() => {});
    return 'done';
  });
  await assert.rejects(ending, /rolled back/);
  assert.deepEqual(await names(), []);
});

test('transaction: the last statements and COMMIT fail together', async () => {
  const ending = transaction(db, async (tx, commit) => {
    await tx.execute(insert('lost'));
    await commit(sql`select 1 / 0`);
  });
  await assert.rejects(ending, /division by zero/);
  assert.deepEqual(await names(), []);
});

test('transaction: of two that deadlock, the one that PostgreSQL aborts runs again, and both commit', async () => {
  const bothHoldOne = Promise.withResolvers<void>();
  let holding = 0;
  let attempts = 0;
  const lockBoth = (name: string, first: number, other: number) =>
    transaction(db, async (tx) => {
      attempts++;
      await tx.query(sql`select pg_advisory_xact_lock(${first}::bigint)`);
      if (++holding === 2) bothHoldOne.resolve();
      await bothHoldOne.promise;
      await tx.query(sql`select pg_advisory_xact_lock(${other}::bigint)`);
      await tx.execute(insert(name));
    });
  await Promise.all([lockBoth('one', 1, 2), lockBoth('two', 2, 1)]);
  assert.equal(attempts, 3);
  assert.deepEqual((await names()).sort(), ['one', 'two']);
});
