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

/** How far from exact a computed angle may be; about 6 mm. */
const doubt = 1e-9;

/**
 * The cells that a circle touches, and perhaps a few more; never fewer. Null when they are more than `most`.
 * @param radius in km along the surface of the sphere
 */
export function circleCells(circle: Circle, most: number): number[] | null {
  const cells: number[] = [];
  for (const { row, outer } of circleRows(circle)) {
    if (cells.length + outer.width > most) return null;
    const count = columnsOf(row);
    for (let step = 0; step < outer.width; step++) cells.push(row * stride + wrap(outer.west + step, count));
  }
  return cells;
}

/** Cells from first to last; `isInner`: all of each lies within the circle, so that nothing in it needs measuring. */
export type Band = { first: number; last: number; isInner: boolean };

/** The same as ranges, of which even half the globe has few thousand. */
export function circleBands(circle: Circle): Band[] {
  return [...circleRows(circle)].flatMap(({ row, outer, inner }) => [
    ...ranges(row, outer.west, inner.west, false),
    ...ranges(row, inner.west, inner.west + inner.width, true),
    ...ranges(row, inner.west + inner.width, outer.west + outer.width, false),
  ]);
}

/** Columns from west to before east, which may go on across the antimeridian. */
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

export type Circle = { lat: number; lng: number; radius: number };
/** Columns of a row, counted from the antimeridian on. */
type Columns = { west: number; width: number };

/** For each row that a circle touches, the columns that it touches and those that lie within it. */
function* circleRows({
  lat,
  lng,
  radius,
}: Circle): Generator<{ row: number; outer: Columns; inner: Columns }> {
  const angle = radius / earthRadiusKm;
  const reach = degrees(angle + doubt);
  const north = rowOf(lat + reach);
  for (let row = rowOf(lat - reach); row <= north; row++) {
    const count = columnsOf(row);
    const turns = (angle: number) => (angle / 360) * count;
    const widest = Math.max(...halfWidths(lat, angle + doubt, row)) + doubt;
    const narrowest = Math.min(...halfWidths(lat, angle - doubt, row)) - doubt;
    const west = Math.floor(turns(lng + 180 - widest));
    const width = Math.floor(turns(lng + 180 + widest)) - west + 1;
    // All the way round is counted from behind the centre.
    const outer = width < count ? { west, width } : { west: Math.floor(turns(lng)), width: count };
    const first = Math.max(Math.ceil(turns(lng + 180 - narrowest)), outer.west);
    const end = Math.min(Math.floor(turns(lng + 180 + narrowest)), outer.west + outer.width);
    const isWhole = narrowest >= 180 - 2 * doubt;
    yield { row, outer, inner: isWhole ? outer : { west: first, width: Math.max(end - first, 0) } };
  }
}

/**
 * How many degrees east and west a circle reaches on the parallels of a row where that can be most or least: its two
 * edges, and where a meridian touches the circle (sin φ = sin φ₀ / cos r). On parallel φ, by the spherical law of
 * cosines, cos Δλ = (cos r − sin φ₀ sin φ) / (cos φ₀ cos φ); above 1 it touches nothing, below −1 it goes all round.
 */
function halfWidths(lat: number, angle: number, row: number): number[] {
  const phi0 = radians(lat);
  const south = radians(row / perDegree - 90);
  const north = radians((row + 1) / perDegree - 90);
  const touched = Math.asin(clamp(Math.sin(phi0) / Math.cos(angle), -1, 1));
  const parallels = touched > south && touched < north ? [south, touched, north] : [south, north];
  return parallels.map((phi) => {
    const above = Math.cos(angle) - Math.sin(phi0) * Math.sin(phi);
    const cos = above / Math.max(Math.cos(phi0) * Math.cos(phi), 1e-15);
    return degrees(Math.acos(clamp(cos, -1, 1)));
  });
}
