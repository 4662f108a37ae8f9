/** Boxes of coordinates. */

/** In degrees. A box whose `west` is above its `east` crosses the antimeridian. Its edges belong to it. */
export type Box = { west: number; south: number; east: number; north: number };

export function isInBox({ west, south, east, north }: Box, lat: number, lng: number): boolean {
  if (lat < south || lat > north) return false;
  return west <= east ? lng >= west && lng <= east : lng >= west || lng <= east;
}
