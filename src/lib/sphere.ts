/** Distances on a sphere of 6,371 km, by chords: points become (x, y, z), so that comparing two takes no trigonometry. */

export const earthRadiusKm = 6371;
/** No two points are further apart. */
export const farthestKm = Math.PI * earthRadiusKm;

export const radians = (degrees: number): number => (degrees * Math.PI) / 180;
export const degrees = (angle: number): number => (angle * 180) / Math.PI;

export type Place = { lat: number; lng: number };
export type Point = [x: number, y: number, z: number];

/** A place as a point of the unit sphere. */
export function toPoint({ lat, lng }: Place): Point {
  const [phi, lambda] = [radians(lat), radians(lng)];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** Great-circle distance in km: 2 R asin(c / 2) of the chord c. */
export function distanceKm(a: Place, b: Place): number {
  const [p, q] = [toPoint(a), toPoint(b)];
  const chord = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  return 2 * earthRadiusKm * Math.asin(Math.min(1, chord / 2));
}

/** The square of the chord between two points of the unit sphere that are so many km apart. */
export const chordSquared = (km: number): number =>
  (2 * Math.sin(Math.min(km, farthestKm) / earthRadiusKm / 2)) ** 2;
