import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseDay, parseTimestamp } from './time.ts';

test('parseTimestamp: accepts any offset and cuts to milliseconds', () => {
  assert.equal(parseTimestamp('2026-12-24T18:00:00+02:00')?.toISOString(), '2026-12-24T16:00:00.000Z');
  assert.equal(parseTimestamp('2026-12-24t18:00:00.123456z')?.toISOString(), '2026-12-24T18:00:00.123Z');
  assert.equal(parseTimestamp('2026-12-24T18:00:00.5Z')?.toISOString(), '2026-12-24T18:00:00.500Z');
});

test('parseTimestamp: the years 1900 to 9999 are those of the instant in UTC', () => {
  assert.equal(parseTimestamp('1899-12-31T23:30:00-01:00')?.toISOString(), '1900-01-01T00:30:00.000Z');
  assert.equal(parseTimestamp('9999-12-31T23:59:59+01:00')?.toISOString(), '9999-12-31T22:59:59.000Z');
  for (const text of ['1900-01-01T00:30:00+01:00', '9999-12-31T23:30:00-01:00', '0000-01-01T00:00:00Z'])
    assert.equal(parseTimestamp(text), null, text);
});

test('parseTimestamp: rejects days, hours and offsets that do not exist', () => {
  for (const text of [
    '2026-02-30T00:00:00Z',
    '2026-12-24T24:00:00Z',
    '2026-12-24T25:00:00Z',
    '2026-12-24T18:00:00',
    '2026-12-24T18:00:00+24:00',
    '2026-12-24',
    '1899-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '+02026-01-01T00:00:00Z',
    '',
    'now',
  ]) {
    assert.equal(parseTimestamp(text), null, text);
  }
});

test('parseTimestamp: parses the ISO string of every instant of its range', () => {
  const range = {
    min: new Date('1900-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  };
  fc.assert(
    fc.property(fc.date(range), (at) => parseTimestamp(at.toISOString())?.getTime() === at.getTime()),
  );
});

test('parseDay: accepts only days that exist', () => {
  assert.equal(parseDay('2028-02-29')?.toISOString(), '2028-02-29T00:00:00.000Z');
  assert.equal(parseDay('2026-02-29'), null);
  assert.equal(parseDay('2026-1-1'), null);
});
