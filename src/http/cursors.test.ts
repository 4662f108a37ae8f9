import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../lib/errors.ts';
import { readCursor, toPage } from './cursors.ts';

const id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';
const at = new Date('2026-12-24T18:00:00.123Z');
const row = { at, id, n: -3 };
const cursorOf = (...position: unknown[]) => Buffer.from(JSON.stringify(position)).toString('base64url');

function expectRefused(cursor: string, ...kinds: Parameters<typeof readCursor>[1][]): void {
  assert.throws(
    () => readCursor(cursor, ...kinds),
    (error) => error instanceof Problem && error.errors?.[0]?.path === 'cursor',
    cursor,
  );
}

test('cursor: the position of the last row, decoded without change, if there are more rows than the page holds', () => {
  const { rows, nextCursor } = toPage([row, row, row], 2, ({ at, id, n }) => [at, id, n]);
  assert.equal(rows.length, 2);
  assert.deepEqual(readCursor(nextCursor ?? '', 'time', 'id', 'number'), [at, id, -3]);
});

test('cursor: null after the last page and for an empty list', () => {
  assert.deepEqual(
    toPage([row, row], 2, ({ id }) => [id]),
    { rows: [row, row], nextCursor: null },
  );
  assert.deepEqual(
    toPage<typeof row>([], 2, ({ id }) => [id]),
    { rows: [], nextCursor: null },
  );
  assert.equal(readCursor(undefined, 'id'), null);
});

test('cursor: 400 naming cursor for any text that is not a cursor of the list', () => {
  const good = cursorOf(id);
  assert.deepEqual(readCursor(good, 'id'), [id]);
  for (const text of ['', 'x', '====', `${good}=`, `${good} `, `${good}!`, `+${good}`])
    expectRefused(text, 'id');
  for (const position of [[], [id, id], [null], [1], [[id]], [id.toUpperCase()], [`${id}x`], [`${id}\0`]])
    expectRefused(cursorOf(...position), 'id');
  for (const text of [JSON.stringify(id), 'null', '{}', '{"0":"x","length":1}'])
    expectRefused(Buffer.from(text).toString('base64url'), 'id');
  for (const time of [0, '2026-12-24', '2026-12-24T18:00:00Z', '+010000-01-01T00:00:00.000Z', 'Infinity', ''])
    expectRefused(cursorOf(time), 'time');
  for (const n of ['1', 1.5, 2 ** 31, 1e300, null, true]) expectRefused(cursorOf(n), 'number');
});
