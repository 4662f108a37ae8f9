/**
 * A grid over the globe. Rows are 0.25° high; the cells of all rows are about 28 km wide, so a circle covers
 * about the same number of cells at every latitude. An event stores the number of its cell.
 */
import type { Box } from './box.ts';
import { degrees, earthRadiusKm, radians } from './sphere.ts';

const perDegree = 4;
const rows = 180 * perDegree;
/**
 * The difference between the first cell numbers of two adjacent rows. Rows with fewer cells leave numbers
 * unused.
 */
const stride = 360 * perDegree;

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max);

const rowOf = (lat: number) => clamp(Math.floor((lat + 90) * perDegree), 0, rows - 1);

/**
 * The number of cells of each row: 1,440 at the equator, reduced by the cosine of the row's latitude; at
 * least one.
 */
const columns = Array.from({ length: rows }, (_, row) =>
  Math.max(1, Math.round(stride * Math.cos(radians((row + 0.5) / perDegree - 90)))),
);
const columnsOf = (row: number) => columns[row] ?? 1;
/** The column of a longitude. +180° gives the number of columns, which stands for the first column. */
const columnOf = (lng: number, count: number) => Math.floor(((lng + 180) / 360) * count);

/** Maps any column, also a negative one or one beyond the antimeridian, to a column of the row. */
const wrap = (column: number, count: number) => ((column % count) + count) % count;

/** Returns the cell of a point in degrees. +180° equals −180°; the poles belong to the outermost rows. */
export function cellOf(lat: number, lng: number): number {
  const row = rowOf(lat);
  const count = columnsOf(row);
  return row * stride + wrap(columnOf(lng, count), count);
}

/** The maximum error of a computed angle, in radians and in degrees; about 6 mm on the ground. */
const tolerance = 1e-9;

/**
 * Returns the cells that a circle intersects, and possibly a few more.
 * @returns null if there are more than `maxCells`
 */
export function circleCells(circle: Circle, maxCells: number): number[] | null {
  return listCells(circleRows(circle), maxCells);
}

function listCells(rows: Iterable<Row>, maxCells: number): number[] | null {
  const cells: number[] = [];
  for (const { row, outer } of rows) {
    if (cells.length + outer.width > maxCells) return null;
    const count = columnsOf(row);
    for (let step = 0; step < outer.width; step++) cells.push(row * stride + wrap(outer.west + step, count));
  }
  return cells;
}

/**
 * A range of cells. `isInner`: all cells lie entirely within the circle, so their points need no distance
 * check.
 */
export type Band = { first: number; last: number; isInner: boolean };

/** Returns the cells that a circle intersects as ranges. Half the globe has fewer than 4,000 ranges. */
export function circleBands(circle: Circle): Band[] {
  return [...circleRows(circle)].flatMap(({ row, outer, inner }) => [
    ...ranges(row, outer.west, inner.west, false),
    ...ranges(row, inner.west, inner.west + inner.width, true),
    ...ranges(row, inner.west + inner.width, outer.west + outer.width, false),
  ]);
}

/** Returns the cells that a box intersects as ranges, at most two for each row. All points need a check. */
export function boxBands(box: Box): Band[] {
  return [...boxRows(box)].flatMap(({ row, outer }) =>
    ranges(row, outer.west, outer.west + outer.width, false),
  );
}

/**
 * Returns the cells that a box intersects.
 * @returns null if there are more than `maxCells`
 */
export function boxCells(box: Box, maxCells: number): number[] | null {
  return listCells(boxRows(box), maxCells);
}

/**
 * For each row that a box intersects: the columns that it intersects. Columns are computed as those of
 * points, so no rounding error leaves a point out.
 */
function* boxRows({ west, south, east, north }: Box): Generator<Row> {
  for (let row = rowOf(south); row <= rowOf(north); row++) {
    const count = columnsOf(row);
    const first = columnOf(west, count);
    const last = columnOf(east, count) + (west > east ? count : 0);
    yield { row, outer: { west: first, width: Math.min(last - first + 1, count) } };
  }
}

/**
 * Returns the cells of the columns from `west` to before `east`; two ranges if they cross the antimeridian.
 */
function ranges(row: number, west: number, east: number, isInner: boolean): Band[] {
  if (west >= east) return [];
  const count = columnsOf(row);
  const [first, width] = [wrap(west, count), east - west];
  const at = (column: number) => row * stride + column;
  if (first + width <= count) return [{ first: at(first), last: at(first + width - 1), isInner }];
  return [
    { first: at(first), last: at(count - 1), isInner },
    { first: at(0), last: at(first + width - count - 1), isInner },
  ];
}

/** Latitude and longitude in degrees; radius in km along the surface. */
export type Circle = { lat: number; lng: number; radius: number };
/** Adjacent columns of a row, counted eastwards from the antimeridian. */
type Columns = { west: number; width: number };
/** The columns of a row that a shape intersects. */
type Row = { row: number; outer: Columns };

/**
 * For each row that a circle intersects: the columns that it intersects, and the columns that lie within it.
 */
function* circleRows({ lat, lng, radius }: Circle): Generator<Row & { inner: Columns }> {
  const angle = radius / earthRadiusKm;
  const latRadius = degrees(angle + tolerance);
  const north = rowOf(lat + latRadius);
  for (let row = rowOf(lat - latRadius); row <= north; row++) {
    const count = columnsOf(row);
    const toColumns = (angle: number) => (angle / 360) * count;
    const widest = Math.max(...halfWidths(lat, angle + tolerance, row)) + tolerance;
    const narrowest = Math.min(...halfWidths(lat, angle - tolerance, row)) - tolerance;
    const west = Math.floor(toColumns(lng + 180 - widest));
    const width = Math.floor(toColumns(lng + 180 + widest)) - west + 1;
    // A circle that covers the whole row starts at its centre.
    const outer = width < count ? { west, width } : { west: Math.floor(toColumns(lng)), width: count };
    const first = Math.max(Math.ceil(toColumns(lng + 180 - narrowest)), outer.west);
    const end = Math.min(Math.floor(toColumns(lng + 180 + narrowest)), outer.west + outer.width);
    const isWhole = narrowest >= 180 - 2 * tolerance;
    yield { row, outer, inner: isWhole ? outer : { west: first, width: Math.max(end - first, 0) } };
  }
}

/**
 * Returns half the width of a circle, in degrees of longitude, on the parallels of a row on which it can be
 * greatest or least: the row's two edges, and the parallel on which a meridian is a tangent of the circle
 * (sin φ = sin φ₀ / cos r). On parallel φ, by the spherical law of cosines, cos Δλ = (cos r − sin φ₀ sin φ) /
 * (cos φ₀ cos φ). Above 1 the circle does not intersect the parallel; below −1 it contains all of it.
 */
function halfWidths(lat: number, angle: number, row: number): number[] {
  const phi0 = radians(lat);
  const south = radians(row / perDegree - 90);
  const north = radians((row + 1) / perDegree - 90);
  const tangent = Math.asin(clamp(Math.sin(phi0) / Math.cos(angle), -1, 1));
  const parallels = tangent > south && tangent < north ? [south, tangent, north] : [south, north];
  return parallels.map((phi) => {
    const numerator = Math.cos(angle) - Math.sin(phi0) * Math.sin(phi);
    const cos = numerator / Math.max(Math.cos(phi0) * Math.cos(phi), 1e-15);
    return degrees(Math.acos(clamp(cos, -1, 1)));
  });
}
