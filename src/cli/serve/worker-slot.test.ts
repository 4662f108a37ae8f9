import assert from 'node:assert/strict';
import test from 'node:test';
import { pauseAfter } from './worker-slot.ts';

test('worker: replaced at once after its first end, then after a growing pause of at most 30 s', () => {
  const pauses = Array.from({ length: 10 }, (_, ends) => pauseAfter(ends));
  assert.deepEqual(pauses, [0, 0, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});
