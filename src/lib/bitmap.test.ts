import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import * as bitmap from './bitmap.ts';

const size = 5_000;
const integers = fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 400 });
const toBitmap = (list: number[]) => {
  const bits = new Uint32Array(bitmap.bitmapLength(size));
  for (const i of list) bitmap.setBit(bits, i);
  return bits;
};
const toList = (bits: bitmap.Bitmap) => [...new bitmap.RankedBitmap(bits).from(0)];
const ascending = (list: Iterable<number>) => [...list].sort((a, b) => a - b);

test('bitmap: intersection and difference are those of sets', () => {
  fc.assert(
    fc.property(integers, integers, (a, b) => {
      for (const [change, expected] of [
        [bitmap.intersect, new Set(a).intersection(new Set(b))],
        [bitmap.subtract, new Set(a).difference(new Set(b))],
      ] as const) {
        const bits = toBitmap(a);
        change(bits, toBitmap(b));
        assert.deepEqual(toList(bits), ascending(expected));
      }
    }),
  );
});

test('bitmap: a range has the integers from its first to before its end', () => {
  fc.assert(
    fc.property(integers, fc.nat(size), fc.nat(size), (a, first, end) => {
      const bits = toBitmap(a);
      bitmap.setRange(bits, first, end);
      const range = Array.from({ length: Math.max(end - first, 0) }, (_, i) => first + i);
      assert.deepEqual(toList(bits), ascending(new Set([...a, ...range])));
      bitmap.clearRange(bits, first, end);
      assert.deepEqual(toList(bits), ascending(new Set(a).difference(new Set(range))));
    }),
  );
});

test('bitmap: hasBit and clearBit concern one integer', () => {
  fc.assert(
    fc.property(integers, fc.nat(size - 1), (a, i) => {
      const bits = toBitmap(a);
      assert.equal(bitmap.hasBit(bits, i), a.includes(i));
      bitmap.clearBit(bits, i);
      assert.deepEqual(toList(bits), ascending(a.filter((each) => each !== i)));
    }),
  );
});

test('ranked bitmap: ranks, size and the n-th integer', () => {
  fc.assert(
    fc.property(integers, fc.nat(size + 100), (a, n) => {
      const sorted = ascending(a);
      const ranked = new bitmap.RankedBitmap(toBitmap(a));
      assert.equal(ranked.size, a.length);
      assert.equal(ranked.rank(n), sorted.filter((i) => i < n).length);
      assert.deepEqual([...ranked.from(n)], sorted.slice(n));
    }),
  );
});
