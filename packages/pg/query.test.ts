import assert from 'node:assert/strict';
import test from 'node:test';
import { parseTime } from './query.ts';

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
