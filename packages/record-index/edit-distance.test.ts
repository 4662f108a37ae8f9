import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { editDistance, mayBeNear, signatureOf } from './edit-distance.ts';

/** The definition, without a table. */
function naive(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const distances = [
    naive(a.slice(1), b) + 1,
    naive(a, b.slice(1)) + 1,
    naive(a.slice(1), b.slice(1)) + Number(a[0] !== b[0]),
  ];
  if (a.length > 1 && a[0] === b[1] && a[1] === b[0]) distances.push(naive(a.slice(2), b.slice(2)) + 1);
  return Math.min(...distances);
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'ö', 'ش'), maxLength: 6 });

test('edit distance: that of the definition, up to the maximum', () => {
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 3 }), (a, b, max) => {
      const distance = naive(a, b);
      assert.equal(editDistance(a, b, max), distance <= max ? distance : Number.POSITIVE_INFINITY);
    }),
    { numRuns: 2_000 },
  );
  for (const [a, b, distance] of [
    ['sourdouh', 'sourdough', 1],
    ['bread', 'braed', 1],
    ['jazz', 'jzaz', 1],
    ['potluck', 'potlukc', 1],
    ['dinner', 'diner', 1],
    ['brunch', 'lunch', 2],
  ] as const)
    assert.equal(editDistance(a, b, 2), distance, `${a} ${b}`);
});

test('signatures: words within one or two edits are never excluded, others mostly', () => {
  const long = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), maxLength: 70 });
  let excluded = 0;
  fc.assert(
    fc.property(long, long, word, word, (a, b, c, d) => {
      for (const [one, other] of [
        [a, b],
        [c, d],
        [a, a.slice(1)],
        [`${a}x`, `y${a}`],
      ] as const) {
        for (const max of [1, 2]) {
          const isNear = editDistance(one, other, max) <= max;
          const mayBe = mayBeNear(signatureOf(one), signatureOf(other), max);
          assert.ok(mayBe || !isNear, `${one} ${other} ${max}`);
          excluded += Number(!mayBe);
        }
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(excluded > 500, `${excluded}`);
});
