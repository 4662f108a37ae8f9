import assert from 'node:assert/strict';
import test from 'node:test';
import { deleteRows, insertRows, joinedBy, materialized, rowsOf, update, updateRows } from './rows.ts';
import { type Statement, sql } from './sql.ts';

const keys = [
  { eventId: 'a', userId: 'x', seats: 1 },
  { eventId: 'b', userId: 'y', seats: 2 },
  { eventId: 'b', userId: 'z', seats: 3 },
];
const key = { eventId: 'uuid', userId: 'uuid' } as const;

const render = (statement: Statement, isDistributed: boolean) => {
  const { text, values } = statement.render(isDistributed);
  return { text: text.replaceAll(/\s+/g, ' ').trim(), values };
};
const users = keys.map(({ userId }) => userId);

test('rows of keys: on a cluster, a condition on the table has each id once', () => {
  const statement = sql`select k.nth::int from ${rowsOf('rsvps r', keys, key)} where r.status = ${'going'}`;
  assert.deepEqual(render(statement, false), {
    text:
      'select k.nth::int from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality k (event_id, user_id, nth) ' +
      'join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id where r.status = $3',
    values: [['a', 'b', 'b'], users, 'going'],
  });
  assert.deepEqual(render(statement, true), {
    text:
      'select k.nth::int from unnest($1::uuid[], $2::uuid[]) with ordinality k (event_id, user_id, nth) ' +
      'join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id and r.event_id = any($3::uuid[]) ' +
      'where r.status = $4',
    values: [['a', 'b', 'b'], users, ['a', 'b'], 'going'],
  });
});

test('rows of keys: on a cluster, updates and deletions and rows of several tables have the condition too', () => {
  const one = keys.slice(0, 1);
  const statements = [
    updateRows('bookings b', one, key, { seats: 'int' }, sql`seats = k.seats`),
    deleteRows('rsvps r', one, key, sql`r.status = ${'going'}`),
    sql`select 1 from ${rowsOf({ rows: sql`select * from rsvps`, as: 't' }, one, key)}`,
  ];
  for (const statement of statements) {
    assert.match(render(statement, true).text, /\.event_id = \$\d::uuid/);
    assert.doesNotMatch(render(statement, false).text, /\.event_id = \$\d/);
  }
  const joined = sql`left join claims c on c.event_id = ${joinedBy('i', 'event_id')}`;
  assert.equal(render(joined, false).text, 'left join claims c on c.event_id = k.event_id');
  assert.equal(render(joined, true).text, 'left join claims c on c.event_id = i.event_id');
});

test('insert rows: the columns are those of the properties', () => {
  assert.deepEqual(render(insertRows('saves', keys, key), true), {
    text: 'insert into saves (event_id, user_id) select * from unnest($1::uuid[], $2::uuid[]) k',
    values: [['a', 'b', 'b'], users],
  });
});

test('update: raises the versions of the rows that have one', () => {
  const text = (statement: Statement) => render(statement, false).text;
  assert.equal(
    text(update('users', sql`role = ${'user'}`)),
    'update users set role = $1, version = users.version + 1',
  );
  assert.equal(text(update('sessions s')), 'update sessions s set version = s.version + 1');
  assert.equal(text(update('bookings b', sql`seats = 1`)), 'update bookings b set seats = 1');
  const counters = updateRows('event_counters c', keys, { eventId: 'uuid' }, {}, sql`rsvp_count = 0`);
  assert.match(text(counters), /set rsvp_count = 0, version = c\.version \+ 1 from unnest/);
});

test('materialized: on one PostgreSQL only', () => {
  const statement = sql`with m as ${materialized} (select 1) table m`;
  assert.match(render(statement, false).text, /as materialized \(/);
  assert.match(render(statement, true).text, /as not materialized \(/);
});
