import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { cellOf, circleCells, circleRows } from './cells.ts';
import { earthRadiusKm } from './sphere.ts';

/** Vector algebra rather than haversine, so that the formula is not checked against itself. */
function distanceKm(a: [number, number], b: [number, number]): number {
  const [u, v] = [a, b].map(([lat, lng]) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const;
  }) as [readonly [number, number, number], readonly [number, number, number]];
  const dot = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const cross = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  return earthRadiusKm * Math.atan2(cross, dot);
}

const lat = fc.oneof(
  fc.constantFrom(-90, 90, 0, 89.99, -89.99),
  fc.double({ min: -90, max: 90, noNaN: true }),
);
const lng = fc.oneof(fc.constantFrom(-180, 180, 0, 179.99), fc.double({ min: -180, max: 180, noNaN: true }));

test('circleCells and circleRows: whatever lies in the circle lies in one of its cells, and in its rows', () => {
  const radius = fc.double({ min: 0.1, max: 500, noNaN: true });
  const nearby = fc.tuple(fc.double({ min: -6, max: 6, noNaN: true }), lng);
  fc.assert(
    fc.property(lat, lng, radius, nearby, (lat1, lng1, km, [dLat, anyLng]) => {
      const cells = circleCells(lat1, lng1, km, 1_000_000);
      const { first, last } = circleRows(lat1, km);
      const lat2 = Math.min(90, Math.max(-90, lat1 + dLat));
      for (const lng2 of [anyLng, lng1, ((lng1 + 180.2) % 360) - 180]) {
        if (distanceKm([lat1, lng1], [lat2, lng2]) > km) continue;
        const cell = cellOf(lat2, lng2);
        assert.ok(cells?.includes(cell));
        assert.ok(first <= cell && cell <= last);
      }
    }),
    { numRuns: 3_000 },
  );
});

/** Where one comes to who goes so far, in km, in this direction, in radians. */
function destination(lat: number, lng: number, bearing: number, km: number): [number, number] {
  const [phi, lambda] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
  const angle = km / earthRadiusKm;
  const sin = Math.sin(phi) * Math.cos(angle) + Math.cos(phi) * Math.sin(angle) * Math.cos(bearing);
  const east = Math.sin(bearing) * Math.sin(angle) * Math.cos(phi);
  const lambda2 = lambda + Math.atan2(east, Math.cos(angle) - Math.sin(phi) * sin);
  const lng2 = (lambda2 * 180) / Math.PI;
  return [
    (Math.asin(Math.max(-1, Math.min(1, sin))) * 180) / Math.PI,
    ((((lng2 + 180) % 360) + 360) % 360) - 180,
  ];
}

test('circleCells: whatever lies just within the rim, in any direction, lies in one of its cells', () => {
  const radius = fc.oneof(fc.double({ min: 0.1, max: 500, noNaN: true }), fc.constantFrom(2_000, 10_007));
  const bearing = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
  const part = fc.constantFrom(0.5, 0.99, 0.9999, 0.9999999);
  fc.assert(
    fc.property(lat, lng, radius, bearing, part, (lat1, lng1, km, direction, fraction) => {
      const point = destination(lat1, lng1, direction, km * fraction);
      assert.ok(circleCells(lat1, lng1, km, 2_000_000)?.includes(cellOf(...point)));
    }),
    { numRuns: 3_000 },
  );
});

test('circleCells: across the antimeridian and round a pole, each cell once', () => {
  const cells = circleCells(0, 179.95, 50, 100);
  assert.ok(cells?.includes(cellOf(0, -179.9)));
  assert.equal(new Set(cells).size, cells?.length);
  const polar = circleCells(89.9, 0, 20, 100);
  assert.ok(polar?.includes(cellOf(89.95, 180)));
  assert.equal(new Set(polar).size, polar?.length);
});

test('circleCells: a circle that would name too many cells names none', () => {
  assert.equal(circleCells(50, 10, 20_000, 1_000), null);
});

test('circleCells: as few in the far north as at the equator, and few more than the circle covers', () => {
  for (const latitude of [0, 30, 60, 70, 80, 88]) {
    const count = circleCells(latitude, 10, 50, 1_000)?.length ?? Number.POSITIVE_INFINITY;
    assert.ok(count <= 40, `${count} at ${latitude}°`);
  }
});

test('cellOf: the two names of the antimeridian are one place', () => {
  assert.equal(cellOf(10, 180), cellOf(10, -180));
});
