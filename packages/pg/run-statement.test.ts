import assert from 'node:assert/strict';
import test from 'node:test';
import { parameterOf, parseTime, prepare } from './run-statement.ts';
import { raw, sql } from './sql.ts';

test('time: is that of its text, to the millisecond, in any time zone and of any year', () => {
  const cases = [
    ['2026-11-26 20:12:34+00', '2026-11-26T20:12:34.000Z'],
    ['2026-11-26 20:12:34.5+00', '2026-11-26T20:12:34.500Z'],
    ['2026-11-26 20:12:34.567899+00', '2026-11-26T20:12:34.567Z'],
    ['2026-11-26 20:12:34+05:30', '2026-11-26T14:42:34.000Z'],
    ['12026-11-26 20:12:34+00', '+012026-11-26T20:12:34.000Z'],
    ['2026-11-26 20:12:34.06+00', '2026-11-26T20:12:34.060Z'],
    ['1000-01-01 00:00:00.0009+00', '1000-01-01T00:00:00.000Z'],
    ['0099-12-31 23:59:59.999999+00', '0099-12-31T23:59:59.999Z'],
    ['0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00.000Z'],
  ];
  for (const [text = '', iso] of cases) assert.equal(parseTime(text).toISOString(), iso, text);
  assert.equal(Number(parseTime('infinity')), Infinity);
});

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
