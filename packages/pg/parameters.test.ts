import assert from 'node:assert/strict';
import test from 'node:test';
import { parameterOf, prepare } from './parameters.ts';
import { raw, sql } from './sql.ts';

test('parameters: values as PostgreSQL reads them', () => {
  const bytes = Buffer.from('a');
  for (const [value, expected] of [
    ['a', 'a'],
    [null, null],
    [undefined, null],
    [7, '7'],
    [7n, '7'],
    [true, 'true'],
    [bytes, bytes],
    [new Date('2026-01-01T10:00:00+02:00'), '2026-01-01T08:00:00.000Z'],
    [{ a: [1, null] }, '{"a":[1,null]}'],
  ])
    assert.equal(parameterOf(value), expected);
  assert.deepEqual(parameterOf(Uint8Array.of(1, 2)), Buffer.of(1, 2));
  assert.throws(() => parameterOf(new Date(Number.NaN)), RangeError);
});

test('parameters: arrays become the text of PostgreSQL arrays', () => {
  for (const [value, expected] of [
    [[], '{}'],
    [['a', 'b'], '{"a","b"}'],
    [['', 'null', ' a,b\n', '{}'], '{"","null"," a,b\n","{}"}'],
    [['a"b', 'a\\b'], '{"a\\"b","a\\\\b"}'],
    [['a', null, undefined], '{"a",NULL,NULL}'],
    [[1, 2.5, true], '{"1","2.5","true"}'],
    [[['a'], ['b']], '{{"a"},{"b"}}'],
    [[Buffer.from('a')], '{"\\\\x61"}'],
    [[new Date(0)], '{"1970-01-01T00:00:00.000Z"}'],
    [[{ a: '"' }], '{"{\\"a\\":\\"\\\\\\"\\"}"}'],
  ] as const)
    assert.equal(parameterOf(value), expected);
});

test('parameters: equal texts have the same name, and a text without parameters has none', () => {
  const first = prepare(sql`select ${1}::int`.render(false));
  assert.deepEqual(first.values, ['1']);
  assert.equal(prepare(sql`select ${2}::int`.render(false)).name, first.name);
  assert.notEqual(prepare(sql`select ${2}::text`.render(false)).name, first.name);
  assert.equal(prepare(raw('commit').render(false)).name, '');
});
