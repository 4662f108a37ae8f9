/**
 * A grid of 0.25° × 0.25° over the globe. An event stores the number of its cell; a radius search names the cells
 * that its circle touches, so that an index can find them, and measures only what lies in those.
 */

const perDegree = 4;
const columns = 360 * perDegree;
const rows = 180 * perDegree;
export const earthRadiusKm = 6371;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

const rowOf = (lat: number) => clamp(Math.floor((lat + 90) * perDegree), 0, rows - 1);
const columnOf = (lng: number) => ((Math.floor((lng + 180) * perDegree) % columns) + columns) % columns;
const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max);

/** The cell of a point; +180° is −180°, and the poles belong to the outermost rows. */
export const cellOf = (lat: number, lng: number): number => rowOf(lat) * columns + columnOf(lng);

/** As an angle, and a little wider than the circle, so that rounding leaves no point on its rim out. */
const angleOf = (radius: number) => radius / earthRadiusKm + 1e-9;

/** The first and the last cell of the rows of the grid that a circle touches: all round the globe, but one range. */
export function circleRows(lat: number, radius: number): { first: number; last: number } {
  const reach = degrees(angleOf(radius));
  return { first: rowOf(lat - reach) * columns, last: rowOf(lat + reach) * columns + columns - 1 };
}

/**
 * The cells that a circle touches, and perhaps a few more; never fewer. Null when they are more than `most`: then
 * `circleRows` is the better plan.
 * @param radius in km along the surface of the sphere
 */
export function circleCells(lat: number, lng: number, radius: number, most = 2_000): number[] | null {
  const angle = angleOf(radius);
  const south = rowOf(lat - degrees(angle));
  const north = rowOf(lat + degrees(angle));
  const reach = longitudeReach(lat, angle);
  const west = Math.floor((lng - reach + 180) * perDegree);
  const width = Math.min(Math.floor((lng + reach + 180) * perDegree) - west + 1, columns);
  if (width * (north - south + 1) > most) return null;
  const cells: number[] = [];
  for (let row = south; row <= north; row++) {
    for (let step = 0; step < width; step++)
      cells.push(row * columns + ((((west + step) % columns) + columns) % columns));
  }
  return cells;
}

/**
 * How many degrees east and west a circle reaches: asin(sin r / cos φ) at its widest (the tangent meridian of a small
 * circle), or all the way round when a pole lies within.
 */
function longitudeReach(lat: number, angle: number): number {
  if (Math.abs(radians(lat)) + angle >= Math.PI / 2) return 180;
  return degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(lat))))) + 1e-9;
}
