import assert from 'node:assert/strict';
import test from 'node:test';
import { raw, type Statement, sql } from './sql.ts';
import { summaryOf } from './statement-summary.ts';

const of = (statement: Statement) => summaryOf(statement.render(false));

test('statement summary: operations and tables, in their order', () => {
  const cases: [Statement, string][] = [
    [sql`select * from events e where e.id = ${1}`, 'SELECT events'],
    [sql`select 1`, 'SELECT'],
    [sql`begin isolation level read committed`, 'BEGIN'],
    [sql`commit`, 'COMMIT'],
    [
      sql`
        select u.name
        from   rsvps r join users u on u.id = r.user_id
        left join lateral (select 1 from saves) s on true`,
      'SELECT rsvps SELECT users SELECT saves',
    ],
    [sql`insert into items (a, b) values (${1}, ${2})`, 'INSERT items'],
    [sql`insert into flags (a) values (${1}) on conflict (a) do update set a = ${1}`, 'INSERT flags'],
    [sql`update only event_counters set a = ${1}`, 'UPDATE event_counters'],
    [sql`delete from codes where a = ${1} returning *`, 'DELETE codes'],
    [sql`select a from sessions where b = ${1} for update of sessions skip locked`, 'SELECT sessions'],
    [sql`select a from users where b is distinct from c and d = ${1} for no key update`, 'SELECT users'],
    [sql`select extract(epoch from now()), extract(epoch from e.at) from unnest(${[]}::int[]) e`, 'SELECT'],
    [
      sql`with gone as (delete from claims where a = ${1} returning n), kept (n) as materialized (select n from gone)
        update item_stock set b = ${2} from kept`,
      'DELETE claims UPDATE item_stock',
    ],
    [
      sql`select 'from users' as "from x" -- from notes
      from items where a = ${1}`,
      'SELECT items',
    ],
  ];
  for (const [statement, summary] of cases) assert.equal(of(statement), summary, statement.text);
});

test('statement summary: has no value, also of a text without parameters', () => {
  assert.equal(of(sql`select id from contacts where phone = ${'+12025550102'}`), 'SELECT contacts');
  assert.equal(of(raw("select id from contacts where phone = '+12025550102'")), 'SELECT contacts');
  assert.equal(of(raw("set application_name = 'it''s from users'")), 'SET');
});

test('statement summary: is short', () => {
  const many = Array.from({ length: 100 }, (_, i) => `select * from table_${i}`).join(' union ');
  assert.equal(of(raw(many)).length, 255);
});
