import assert from 'node:assert/strict';
import test from 'node:test';
import { parameterOf } from './query.ts';

const [a, b] = ['0192a1b2-0000-7000-8000-00000000000a', '0192a1b2-0000-7000-8000-00000000000b'];

test('parameters: an array of UUIDs becomes the text of a PostgreSQL array', () => {
  assert.equal(parameterOf([a]), `{${a}}`);
  assert.equal(parameterOf([a, b]), `{${a},${b}}`);
});

test('parameters: every other value stays, also arrays that only look like UUIDs', () => {
  const quoted = `${a.slice(0, 30)}","x\\"`;
  assert.equal(quoted.length, a.length);
  const others = [
    a,
    null,
    7,
    [],
    [a, null],
    [[a]],
    [Buffer.from(a)],
    [`${a},${b}`],
    [quoted],
    [a.replace('a', ',')],
  ];
  for (const value of [...others, [a.toUpperCase()], [`${a}\n`], [a.replace('a', '}')], ['null'], [1, 2]])
    assert.equal(parameterOf(value), value);
});
