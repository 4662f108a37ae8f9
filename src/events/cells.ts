/**
 * A grid over the globe, of rows 0.25° high whose cells are all about as wide (28 km), so that a circle touches about
 * as many in Lapland as in Lagos. An event stores the number of its cell.
 */
import { degrees, earthRadiusKm, radians } from './sphere.ts';

const perDegree = 4;
const rows = 180 * perDegree;
/** Numbers that a row takes up; its cells are the first of them. */
const stride = 360 * perDegree;

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max);

const rowOf = (lat: number) => clamp(Math.floor((lat + 90) * perDegree), 0, rows - 1);

/** Cells in each row: as many as are 0.25° wide at the equator, less by the cosine of its middle; at the poles one. */
const columns = Array.from({ length: rows }, (_, row) =>
  Math.max(1, Math.round(stride * Math.cos(radians((row + 0.5) / perDegree - 90)))),
);
const columnsOf = (row: number) => columns[row] ?? 1;

/** Of a longitude in turns from 180° west, which may go round more than once. */
const wrap = (column: number, count: number) => ((column % count) + count) % count;

/** The cell of a point; +180° is −180°, and the poles belong to the outermost rows. */
export function cellOf(lat: number, lng: number): number {
  const row = rowOf(lat);
  const count = columnsOf(row);
  return row * stride + wrap(Math.floor(((lng + 180) / 360) * count), count);
}

/** As an angle, and a little wider than the circle, so that rounding leaves no point on its rim out. */
const angleOf = (radius: number) => radius / earthRadiusKm + 1e-9;

/** The first and the last cell of the rows of the grid that a circle touches: all round the globe, but one range. */
export function circleRows(lat: number, radius: number): { first: number; last: number } {
  const reach = degrees(angleOf(radius));
  return { first: rowOf(lat - reach) * stride, last: (rowOf(lat + reach) + 1) * stride - 1 };
}

/**
 * The cells that a circle touches, and perhaps a few more; never fewer. Null when they are more than `most`.
 * @param radius in km along the surface of the sphere
 */
export function circleCells(lat: number, lng: number, radius: number, most: number): number[] | null {
  const angle = angleOf(radius);
  const south = rowOf(lat - degrees(angle));
  const north = rowOf(lat + degrees(angle));
  const cells: number[] = [];
  for (let row = south; row <= north; row++) {
    const count = columnsOf(row);
    const reach = reachInRow(lat, angle, row);
    const west = Math.floor(((lng - reach + 180) / 360) * count);
    const east = Math.floor(((lng + reach + 180) / 360) * count);
    const width = Math.min(east - west + 1, count);
    if (cells.length + width > most) return null;
    for (let step = 0; step < width; step++) cells.push(row * stride + wrap(west + step, count));
  }
  return cells;
}

/**
 * How many degrees east and west a circle reaches within a row. By the spherical law of cosines a point of the circle at
 * latitude φ is Δλ away with cos Δλ = (cos r − sin φ₀ sin φ) / (cos φ₀ cos φ). Within the row that is widest at the edge
 * that is nearer to the parallel where a meridian touches the circle, sin φ = sin φ₀ / cos r, or on it.
 */
function reachInRow(lat: number, angle: number, row: number): number {
  const phi0 = radians(lat);
  const south = radians(row / perDegree - 90);
  const north = radians((row + 1) / perDegree - 90);
  // A pole lies within: the circle goes all the way round, in any row that it holds a whole parallel of.
  if (angle >= Math.PI / 2 || Math.abs(phi0) + angle >= Math.PI / 2) return 180;
  const widest = clamp(Math.asin(clamp(Math.sin(phi0) / Math.cos(angle), -1, 1)), south, north);
  const phi = clamp(widest, phi0 - angle, phi0 + angle);
  const cos = (Math.cos(angle) - Math.sin(phi0) * Math.sin(phi)) / (Math.cos(phi0) * Math.cos(phi));
  return degrees(Math.acos(clamp(cos, -1, 1))) + 1e-6;
}
