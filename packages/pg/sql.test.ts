import assert from 'node:assert/strict';
import test from 'node:test';
import { assignments, empty, formOf, insertValues, join, raw, sql } from './sql.ts';

test('sql: nested parts, lists and rows become one text with numbered parameters', () => {
  const part = sql`a = ${1} and ${raw('b')} = ${2}`;
  const statement = sql`select ${join([1, sql`c + ${3}`])} from t where ${part}${empty} or d = ${[4, 5]}`;
  assert.deepEqual(statement.render(false), {
    text: 'select $1,c + $2 from t where a = $3 and b = $4 or d = $5',
    values: [1, 3, 1, 2, [4, 5]],
  });
  assert.equal(statement.text, statement.render(true).text);
  const row = { a: 1, b: null };
  assert.equal(sql`insert into t ${insertValues(row)}`.text, 'insert into t (a,b) values ($1,$2)');
  assert.equal(sql`update t set ${assignments(row)}`.text, 'update t set a = $1,b = $2');
  assert.throws(() => join([]), TypeError);
});

test('sql: a part with two forms gets one of them when the statement is rendered, wherever it is nested', () => {
  const inner = formOf((isDistributed) => (isDistributed ? sql`x = ${1}` : sql`true`));
  const outer = formOf((isDistributed) => sql`${inner} and ${isDistributed}`);
  const statement = sql`select ${0} where ${outer} and y = ${2}`;
  assert.deepEqual(statement.render(false), {
    text: 'select $1 where true and $2 and y = $3',
    values: [0, false, 2],
  });
  assert.deepEqual(statement.render(true), {
    text: 'select $1 where x = $2 and $3 and y = $4',
    values: [0, 1, true, 2],
  });
  assert.deepEqual([statement.hasForms, sql`select 1`.hasForms], [true, false]);
});
