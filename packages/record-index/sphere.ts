/**
 * Distances on a sphere with the radius of the Earth. Points are stored as (x, y, z), and distances are
 * compared by the squares of chords, which needs no trigonometry.
 */

export const earthRadiusKm = 6371;
/** The greatest distance between two points, in km. */
export const farthestKm = Math.PI * earthRadiusKm;

export const radians = (degrees: number): number => (degrees * Math.PI) / 180;
export const degrees = (angle: number): number => (angle * 180) / Math.PI;

/** In degrees. */
export type Coordinates = { lat: number; lng: number };
export type Point = [x: number, y: number, z: number];

/** Returns the point of coordinates on the unit sphere. */
export function toPoint({ lat, lng }: Coordinates): Point {
  const [phi, lambda] = [radians(lat), radians(lng)];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** Returns the great-circle distance in km: 2 R asin(c / 2), where c is the chord. */
export function distanceKm(a: Coordinates, b: Coordinates): number {
  const [p, q] = [toPoint(a), toPoint(b)];
  const chord = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, chord / 2));
}

/** Returns the square of the chord between two points of the unit sphere at a great-circle distance in km. */
export const chordSquared = (km: number): number =>
  (2 * Math.sin(Math.min(km, farthestKm) / earthRadiusKm / 2)) ** 2;

/** The great-circle distance in km of a chord of the unit sphere. @param squared the square of the chord */
export const kmOfChord = (squared: number): number =>
  2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(squared) / 2));

/** The part of the unit sphere around a point: the points whose chord to it has at most the square `reach`. */
export type Cap = { x: number; y: number; z: number; reach: number };

export function capOf({ radius, ...center }: Coordinates & { radius: number }): Cap {
  const [x, y, z] = toPoint(center);
  return { x, y, z, reach: chordSquared(radius) };
}

/** The square of the chord from a point to the `i`-th of some points. @param points three coordinates for each */
export function squaredChordTo(
  { x, y, z }: Omit<Cap, 'reach'>,
  points: ArrayLike<number>,
  i: number,
): number {
  const dx = (points[3 * i] as number) - x;
  const dy = (points[3 * i + 1] as number) - y;
  const dz = (points[3 * i + 2] as number) - z;
  return dx * dx + dy * dy + dz * dz;
}

/** Whether the `i`-th of some points is in a cap. @param points three coordinates for each */
export const isPointInCap = (cap: Cap, points: ArrayLike<number>, i: number): boolean =>
  squaredChordTo(cap, points, i) <= cap.reach;
