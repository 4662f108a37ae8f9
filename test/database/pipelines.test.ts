/** Statements of transactions: what is sent to PostgreSQL, and what a failed statement leaves behind. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql as statement, transaction } from '#pg';
import { openRelay } from '../support/relay.ts';
import { connectSql, type SqlDatabase } from '../support/sql-tag.ts';
import { cloneDatabase, urlOf } from '../support/test-database.ts';
import { frontendMessages } from './frontend-messages.ts';

/** The types of the messages that were sent to PostgreSQL. */
const sent: string[] = [];
let sql: SqlDatabase;
let end: () => Promise<void>;

before(async () => {
  const target = await cloneDatabase();
  const relay = await openRelay(target, () => {
    const read = frontendMessages();
    return (bytes) => void sent.push(...read(bytes));
  });
  sql = connectSql(urlOf(target, { address: relay.address }), 1);
  await sql`create table marks (n int primary key)`;
  end = async () => {
    await sql.end();
    await relay.close();
  };
});
after(() => end());
beforeEach(() => sql.begin((tx) => tx`truncate marks`).then(() => void sent.splice(0)));

const count = (type: string) => sent.filter((each) => each === type).length;
const marks = async () => (await sql<{ n: number }[]>`select n from marks order by n`).map(({ n }) => n);
const isDuplicate = (error: unknown) => (error as { code?: string }).code === '23505';

test('pipeline: statements that are sent together have their own rows, in their order, with null as null', async () => {
  const rows = await sql.begin(async (tx) => {
    const first = await Promise.all([
      tx`select ${1}::int as n`,
      tx`select ${2}::int as n, ${'a'}::text as letter`,
    ]);
    const second = await Promise.all([tx`select ${null}::int as n`, tx`insert into marks values (${3})`]);
    return [...first, ...second];
  });
  assert.deepEqual(rows, [[{ n: 1 }], [{ n: 2, letter: 'a' }], [{ n: null }], []]);
});

test('pipeline: the first statements are sent with BEGIN, before its result', async () => {
  /** The statements that were sent before the first result. */
  let atOnce: string[] = [];
  await transaction(sql, async (tx) => {
    let hasResult = false;
    const first = tx.query(statement`select pg_sleep(0.05)`).finally(() => {
      hasResult = true;
    });
    // A slow machine takes longer to open the connection.
    while (!hasResult && atOnce.length < 2) {
      await setTimeout(5);
      atOnce = sent.filter((each) => each === 'Query' || each === 'Execute');
    }
    await first;
  });
  assert.equal(atOnce.length, 2);
});

test('pipeline: a statement with parameters is parsed once for each connection', async () => {
  const twice = () =>
    sql.begin((tx) =>
      Promise.all([4, 5].map((n) => tx<{ n: number }[]>`select ${n}::int as n, 'twice' as once`)),
    );
  const expected = [4, 5].map((n) => [{ n, once: 'twice' }]);
  assert.deepEqual(await twice(), expected);
  assert.deepEqual([count('Parse'), count('Bind')], [1, 2]);
  assert.deepEqual(await twice(), expected);
  assert.deepEqual([count('Parse'), count('Bind')], [1, 4]);
});

test('pipeline: the statements after a failed one fail with its error, those before have results, and nothing is written', async () => {
  const outcomes: PromiseSettledResult<unknown>[] = [];
  const insert = (n: number) =>
    sql.begin(async (tx) => {
      outcomes.push(
        ...(await Promise.allSettled([
          tx`insert into marks values (${n}) returning n`,
          tx`insert into marks values (${n})`,
          tx`select ${n}::int as unseen`,
        ])),
      );
      await tx`select 1`;
    });
  await assert.rejects(insert(8), isDuplicate);
  const [first, second, third] = outcomes;
  assert.deepEqual(first, { status: 'fulfilled', value: [{ n: 8 }] });
  for (const outcome of [second, third])
    assert.ok(outcome?.status === 'rejected' && isDuplicate(outcome.reason));
  assert.deepEqual(await marks(), []);
});

test('pipeline: a statement whose first use failed succeeds later on the same connection', async () => {
  const insert = (n: number) =>
    sql.begin((tx) => Promise.all([tx`insert into marks (n) values (${n})`, tx`select ${n}::int as after`]));
  await sql.begin((tx) => tx`insert into marks values (9)`);
  await assert.rejects(insert(9), isDuplicate);
  const read = (text: string) => sql.begin((tx) => tx`select ${text}::uuid as id`);
  await assert.rejects(read('no uuid'), { code: '22P02' });
  const id = '0190b6f4-7a5e-7000-8000-000000000001';
  assert.deepEqual(await read(id), [{ id }]);
  assert.deepEqual(await insert(10), [[], [{ after: 10 }]]);
  assert.deepEqual(await marks(), [9, 10]);
});

test('pipeline: a COMMIT that is sent behind a failed statement commits nothing', async () => {
  const insert = statement`insert into marks values (11)`;
  const twice = transaction(sql, async (_tx, commit) => commit(insert, insert));
  await assert.rejects(twice, isDuplicate);
  assert.deepEqual(await marks(), []);
  assert.deepEqual(await sql.begin((tx) => tx`select 1 as one`), [{ one: 1 }]);
});
