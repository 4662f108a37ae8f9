import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import * as bitmap from './bitmap.ts';
import { RankedBitmap } from './ranked-set.ts';

const size = 5_000;
const integers = fc.uniqueArray(fc.integer({ min: 0, max: size - 1 }), { maxLength: 400 });
const toBitmap = (list: number[]) => {
  const bits = new Uint32Array(bitmap.bitmapLength(size));
  for (const i of list) bitmap.setBit(bits, i);
  return bits;
};
const all = { first: 0, end: size };
const toList = (bits: bitmap.Bitmap, range = all) => [...new RankedBitmap(bits, range).from(0)];
const ascending = (list: Iterable<number>) => [...list].sort((a, b) => a - b);
const ranges = fc
  .tuple(fc.nat(size), fc.nat(size))
  .map(([a, b]) => ({ first: Math.min(a, b), end: Math.max(a, b) }));
const isIn =
  ({ first, end }: bitmap.Range) =>
  (i: number) =>
    i >= first && i < end;
/** Bitmaps of queries have old integers outside the range of the query. */
const used = () => new Uint32Array(bitmap.bitmapLength(size)).fill(0xffffffff);

test('bitmap: intersection and difference are those of sets, in a range', () => {
  fc.assert(
    fc.property(integers, integers, integers, ranges, (a, b, c, range) => {
      const [p, q, r] = [toBitmap(a), toBitmap(b), toBitmap(c)];
      const common = new Set(a).intersection(new Set(b));
      for (const [bits, expected] of [
        [bitmap.intersectAll([p], range, used()), new Set(a)],
        [bitmap.intersectAll([p, q], range, used()), common],
        [bitmap.intersectAll([p, q, r], range, used()), common.intersection(new Set(c))],
        [bitmap.subtract(p, q, range, used()), new Set(a).difference(new Set(b))],
      ] as const) {
        assert.deepEqual(toList(bits, range), ascending(expected).filter(isIn(range)));
      }
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

test('ranked bitmap: ranks, size and the n-th integer of a range', () => {
  fc.assert(
    fc.property(integers, ranges, fc.nat(size + 100), (a, range, n) => {
      const sorted = ascending(a).filter(isIn(range));
      const bits = toBitmap(a);
      for (const counts of [undefined, bitmap.countBlocks(bits, all)]) {
        const ranked = new RankedBitmap(bits, range, counts);
        assert.equal(ranked.size, sorted.length);
        assert.equal(ranked.rank(n), sorted.filter((i) => i < n).length);
        assert.deepEqual([...ranked.from(n)], sorted.slice(n));
      }
    }),
  );
});

test('ranked bitmap: a copy keeps its integers, and counts follow the removal of one', () => {
  fc.assert(
    fc.property(integers, fc.nat(size - 1), (a, removed) => {
      const bits = toBitmap([...a, removed]);
      const counts = bitmap.countBlocks(bits, all);
      const copy = new RankedBitmap(bits, all, counts).copy();
      bitmap.clearBit(bits, removed);
      bitmap.uncount(counts, removed);
      assert.deepEqual(counts, bitmap.countBlocks(bits, all));
      assert.deepEqual([...copy.from(0)], ascending(new Set([...a, removed])));
    }),
  );
});
