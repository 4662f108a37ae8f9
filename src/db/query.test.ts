import assert from 'node:assert/strict';
import test from 'node:test';
import { parameterOf } from './query.ts';

test('parameters: an array of strings without quotes and backslashes becomes the text of a PostgreSQL array', () => {
  assert.equal(parameterOf(['a', 'b']), '{"a","b"}');
  assert.equal(parameterOf(['', 'null', ' a,b\n', '{}']), '{"","null"," a,b\n","{}"}');
});

test('parameters: every other value stays', () => {
  for (const value of [
    'a',
    null,
    7,
    [],
    ['"'],
    ['a', '\\'],
    ['a', null],
    [['a']],
    [Buffer.from('a')],
    [1],
    [true],
  ])
    assert.equal(parameterOf(value), value);
});
