/** The tiles of a map that show a town and its surroundings. */
import { type Coordinates, degrees, earthRadiusKm, radians } from '#record-index';

export type TileAddress = { z: number; x: number; y: number };
/** In degrees: west, south, east, north. */
export type Bounds = [number, number, number, number];

/** The farthest latitude of Web Mercator, whose world is a square. */
const maxLat = 85.05;

/** A square around `center` whose sides are `km` away. It ends at the antimeridian. */
export function boundsAround({ lat, lng }: Coordinates, km: number): Bounds {
  const height = degrees(km / earthRadiusKm);
  const width = height / Math.max(Math.cos(radians(lat)), 0.01);
  return [
    Math.max(lng - width, -180),
    Math.max(lat - height, -maxLat),
    Math.min(lng + width, 180),
    Math.min(lat + height, maxLat),
  ];
}

/** The tiles of all zoom levels up to `maxZoom` that the bounds touch. */
export function tilesWithin([west, south, east, north]: Bounds, maxZoom: number): TileAddress[] {
  const tiles: TileAddress[] = [];
  for (let z = 0; z <= maxZoom; z++) {
    const [left, top] = tileAt(west, north, z);
    const [right, bottom] = tileAt(east, south, z);
    for (let x = left; x <= right; x++) for (let y = top; y <= bottom; y++) tiles.push({ z, x, y });
  }
  return tiles;
}

/** https://wiki.openstreetmap.org/wiki/Slippy_map_tilenames */
function tileAt(lng: number, lat: number, z: number): [x: number, y: number] {
  const count = 2 ** z;
  const x = Math.floor(((lng + 180) / 360) * count);
  const y = Math.floor(((1 - Math.asinh(Math.tan(radians(lat))) / Math.PI) / 2) * count);
  return [Math.min(x, count - 1), Math.min(Math.max(y, 0), count - 1)];
}
