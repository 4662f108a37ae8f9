/** The distance of two places on the globe. */

const earthRadiusKm = 6371;
const radians = (degrees: number): number => (degrees * Math.PI) / 180;

type Place = { lat: number; lng: number };

/** NaN if a coordinate is. */
export function distanceKm(a: Place, b: Place): number {
  const haversine = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const square =
    haversine(a.lat, b.lat) + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * haversine(a.lng, b.lng);
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(Math.min(square, 1)));
}
