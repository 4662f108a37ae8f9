import assert from 'node:assert/strict';
import test from 'node:test';
import { randomOf } from '../../../bench/seed/random.ts';
import { distanceKm } from '../../lib/sphere.ts';
import { categorySlugs } from '../events/catalogue.ts';
import { type CellRow, listNearby, toCell } from './nearby-lists.ts';

const at = (ms: number | null) => (ms === null ? null : new Date(ms));
const byList = (a: CellRow, b: CellRow) => a.start - b.start || (a.id < b.id ? -1 : 1);

/**
 * Random rows. Two thirds are in one cell, so that the index splits it. Many have equal starts, some equal
 * points.
 */
function randomRows(count: number): CellRow[] {
  const { next } = randomOf(7);
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor(next() * 200);
    return {
      cell: i % 3 === 0 ? 2 : 1,
      id: `event ${Math.floor(next() * 1e9)} ${i}`,
      start,
      end: start + 1 + Math.floor(next() * 50),
      lat: i % 50 === 0 ? 50.1 : 50 + next() * 0.25,
      lng: (i % 3 === 0 ? 8.4 : 8) + (i % 50 === 0 ? 0.1 : next() * 0.4),
      category: categorySlugs[i % 4] ?? '',
    };
  });
}

test('nearby: page and total equal those of a plain filter, for any place, radius, category and time', () => {
  const rows = randomRows(6_000).toSorted(byList);
  const cells = [1, 2].map((cell) =>
    toCell(
      rows.filter((row) => row.cell === cell),
      1,
    ),
  );
  assert.ok(cells.some(({ blocks }) => blocks.length > 9));
  const { next } = randomOf(8);
  const maybe = <T>(value: T): T | null => (next() < 0.5 ? value : null);
  let largeResults = 0;
  for (let run = 0; run < 400; run++) {
    const circle = { lat: 50 + next() * 0.25, lng: 8 + next() * 0.8, radius: 0.5 + next() * 40 };
    const hidden = new Set(next() < 0.2 ? rows.filter((_, i) => i % 7 === 0).map(({ id }) => id) : []);
    const [category, from, until] = [
      maybe(categorySlugs[1] ?? ''),
      maybe(Math.floor(next() * 250)),
      maybe(Math.floor(next() * 250)),
    ];
    const expected = rows.filter(
      (row) =>
        distanceKm(circle, row) <= circle.radius &&
        (category === null || row.category === category) &&
        (from === null || row.end > from) &&
        (until === null || row.start <= until) &&
        !hidden.has(row.id),
    );
    const filter = { category, from: at(from), until: at(until), hidden };
    const page = 1 + Math.floor(next() * 3);
    const result = listNearby(cells, circle, filter, { page, limit: 20 });
    assert.equal(result.total, expected.length);
    assert.deepEqual(
      result.ids,
      expected.slice((page - 1) * 20, page * 20).map(({ id }) => id),
    );
    largeResults += Number(expected.length > 3_000);
  }
  assert.ok(largeResults > 0);
});
