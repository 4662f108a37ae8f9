import assert from 'node:assert/strict';
import test from 'node:test';
import { compareSamples } from '../../torture/statistics.ts';

const isClose = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-4, `${actual}, not ${expected}`);
const countTo = (n: number) => Array.from({ length: n }, (_, i) => i);

test('compareSamples: the distance of small samples by hand', () => {
  // The first sample ends before the second begins.
  assert.equal(compareSamples([1, 2, 3], [4, 5, 6]).distance, 1);
  // After 3, three of four values of the first sample and one of four of the second are passed.
  assert.equal(compareSamples([1, 2, 3, 6], [3, 4, 5, 7]).distance, 0.5);
  assert.deepEqual(compareSamples([2, 2, 2], [2, 2]), { distance: 0, p: 1 });
});

test('compareSamples: the probability agrees with the tabulated quantiles of the Kolmogorov distribution', () => {
  // 1.3581 and 1.9495 are the quantiles for 5 % and 0.1 %; with 2 × 200,000 values the correction vanishes.
  const n = 200_000;
  for (const [quantile, p] of [
    [1.3581, 0.05],
    [1.9495, 0.001],
  ] as const) {
    const shift = Math.round((quantile / Math.sqrt(n / 2)) * n);
    const shifted = countTo(n).map((value) => value + shift);
    const found = compareSamples(countTo(n), shifted);
    isClose(found.distance, shift / n);
    assert.ok(Math.abs(found.p / p - 1) < 0.02, `${found.p}, not ${p}`);
  }
});

test('compareSamples: a slower tail with equal medians is a difference', () => {
  const fast = countTo(2_000).map((i) => 1 + (i % 100) / 100);
  const slowTail = fast.map((ms, i) => (i % 5 === 0 ? ms + 5 : ms));
  assert.ok(compareSamples(fast, slowTail).p < 1e-6);
  assert.equal(compareSamples(fast, fast.toReversed()).p, 1);
});
