import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { isInBox } from './box.ts';
import { boxBands, boxCells, cellOf, circleBands, circleCells } from './grid-cells.ts';
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

/** Returns the point at a distance in km and a bearing in radians. */
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

const radius = fc.oneof(
  fc.double({ min: 0.1, max: 500, noNaN: true }),
  fc.double({ min: 500, max: 20_015, noNaN: true }),
);
const bearing = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
const part = fc.constantFrom(0.5, 0.99, 0.9999, 0.9999999);

test('circleBands: every point of the circle lies in exactly one band', () => {
  fc.assert(
    fc.property(lat, lng, radius, bearing, part, (lat1, lng1, km, direction, fraction) => {
      const cell = cellOf(...destination(lat1, lng1, direction, km * fraction));
      const bands = circleBands({ lat: lat1, lng: lng1, radius: km });
      assert.equal(bands.filter(({ first, last }) => first <= cell && cell <= last).length, 1);
    }),
    { numRuns: 5_000 },
  );
});

test('circleBands: every point of an inner band lies in the circle', () => {
  let inner = 0;
  fc.assert(
    fc.property(lat, lng, radius, bearing, part, (lat1, lng1, km, direction, fraction) => {
      // From outside the circle to its centre.
      const [lat2, lng2] = destination(lat1, lng1, direction, km * (1.5 - fraction));
      const cell = cellOf(lat2, lng2);
      const bands = circleBands({ lat: lat1, lng: lng1, radius: km });
      const band = bands.find(({ first, last }) => first <= cell && cell <= last);
      if (!band?.isInner) return;
      inner++;
      assert.ok(distanceKm([lat1, lng1], [lat2, lng2]) <= km + 1e-6);
    }),
    { numRuns: 5_000 },
  );
  assert.ok(inner > 500, `only ${inner} points were in inner bands`);
});

test('circleBands: most cells of a large circle are inner, and half the globe has fewer than 4,000 bands', () => {
  for (const [lat, lng, radius] of [
    [48, 11, 1_000],
    [0, 179, 5_000],
    [89, 0, 3_000],
    [-30, -60, 10_000],
    [10, 10, 19_000],
  ] as const) {
    const bands = circleBands({ lat, lng, radius });
    const cells = (isInner: boolean) =>
      bands
        .filter((band) => band.isInner === isInner)
        .reduce((sum, { first, last }) => sum + last - first + 1, 0);
    assert.ok(cells(true) > 5 * cells(false), `${cells(true)} to ${cells(false)} around ${lat}, ${lng}`);
    assert.ok(bands.length < 4_000);
  }
});

test('circleCells: exactly the cells of the bands', () => {
  fc.assert(
    fc.property(lat, lng, fc.double({ min: 0.1, max: 900, noNaN: true }), (lat1, lng1, km) => {
      const circle = { lat: lat1, lng: lng1, radius: km };
      const cells = circleBands(circle).flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, i) => first + i),
      );
      const actual = circleCells(circle, 1_000_000) ?? [];
      assert.deepEqual(actual.toSorted(), cells.toSorted());
      assert.equal(new Set(actual).size, actual.length);
    }),
    { numRuns: 300 },
  );
});

test('circleCells: crosses the antimeridian and a pole', () => {
  assert.ok(circleCells({ lat: 0, lng: 179.95, radius: 50 }, 100)?.includes(cellOf(0, -179.9)));
  assert.ok(circleCells({ lat: 89.9, lng: 0, radius: 20 }, 100)?.includes(cellOf(89.95, 180)));
});

test('circleCells: at most 30 cells for 50 km at every latitude', () => {
  for (const lat of [0, 30, 60, 70, 80, 88]) {
    const count = circleCells({ lat, lng: 10, radius: 50 }, 1_000)?.length ?? Number.POSITIVE_INFINITY;
    assert.ok(count <= 30, `${count} at ${lat}°`);
  }
});

test('circleCells: null above the maximum number of cells', () => {
  assert.equal(circleCells({ lat: 50, lng: 10, radius: 20_000 }, 1_000), null);
});

test('boxBands: every point of the box, its edges included, lies in exactly one band; boxCells: the same cells', () => {
  const corner = fc.constantFrom(0, 1, 0.5, 0.001, 0.999);
  fc.assert(
    fc.property(lat, lat, lng, lng, corner, corner, (lat1, lat2, west, east, up, right) => {
      const box = { west, south: Math.min(lat1, lat2), east, north: Math.max(lat1, lat2) };
      const width = east - west + (west > east ? 360 : 0);
      const lng = right === 1 ? east : ((west + right * width + 540) % 360) - 180;
      const lat = up === 1 ? box.north : box.south + up * (box.north - box.south);
      if (!isInBox(box, lat, lng)) return;
      const cell = cellOf(lat, lng);
      const bands = boxBands(box);
      assert.equal(bands.filter(({ first, last }) => first <= cell && cell <= last).length, 1);
      const cells = boxCells(box, 2_000);
      if (cells)
        assert.equal(
          cells.length,
          bands.reduce((sum, { first, last }) => sum + last - first + 1, 0),
        );
      if (cells) assert.ok(cells.includes(cell));
    }),
    { numRuns: 5_000 },
  );
});

test('cellOf: +180° equals −180°', () => {
  assert.equal(cellOf(10, 180), cellOf(10, -180));
});
