/** Boxes on the map, and their places in the Mercator projection, whose world is 1 wide and 1 high. */

/** In degrees. A box whose `west` is above its `east` crosses the antimeridian. */
export type Box = { west: number; south: number; east: number; north: number };
export type Place = { lat: number; lng: number };

/** The projection is a square up to this latitude. */
const maxLat = 85.05;
const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max);

export const mercatorX = (lng: number): number => (lng + 180) / 360;
export const mercatorY = (lat: number): number =>
  (1 - Math.asinh(Math.tan((clamp(lat, -maxLat, maxLat) * Math.PI) / 180)) / Math.PI) / 2;
export const longitudeOf = (x: number): number => x * 360 - 180;
export const latitudeOf = (y: number): number =>
  (Math.atan(Math.sinh((1 - 2 * y) * Math.PI)) * 180) / Math.PI;

const wrap = (lng: number): number => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);
const widthOf = ({ west, east }: Box): number => east - west + (west > east ? 360 : 0);

/** Reads `west,south,east,north`; null for another text. */
export function parseBox(text: string): Box | null {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [west = 0, south = 0, east = 0, north = 0] = numbers;
  const isValid =
    numbers.length === 4 &&
    numbers.every(Number.isFinite) &&
    Math.max(Math.abs(west), Math.abs(east)) <= 180 &&
    Math.max(Math.abs(south), Math.abs(north)) <= 90 &&
    south <= north;
  return isValid ? { west, south, east, north } : null;
}

export const formatBox = ({ west, south, east, north }: Box): string =>
  [west, south, east, north].map((degrees) => Number(degrees.toFixed(4))).join();

/** The box of a map that was moved, also across the antimeridian or over several worlds. */
export function normalizeBox({ west, south, east, north }: Box): Box {
  const [low, high] = [clamp(south, -90, 90), clamp(north, -90, 90)];
  if (east - west >= 360) return { west: -180, south: low, east: 180, north: high };
  return { west: wrap(west), south: low, east: wrap(east), north: high };
}

/** As MapLibre reads boxes: east of the antimeridian, longitudes go on. */
export const toBounds = ({ west, south, east, north }: Box): [number, number, number, number] => [
  west,
  south,
  west > east ? east + 360 : east,
  north,
];

export const centreOf = (box: Box): Place => ({
  lat: (box.south + box.north) / 2,
  lng: normalizeBox({ ...box, east: box.west + widthOf(box) / 2 }).east,
});

/** Of latitude. */
export const kmPerDegree = 111.2;

/** A box around a circle. */
export function boxAround({ lat, lng }: Place, radiusKm: number): Box {
  const dLat = radiusKm / kmPerDegree;
  const dLng = dLat / Math.max(Math.cos((lat * Math.PI) / 180), 0.05);
  return normalizeBox({ west: lng - dLng, south: lat - dLat, east: lng + dLng, north: lat + dLat });
}

/** The smallest box with some boxes, which do not cross the antimeridian; null without boxes. */
export function uniteBoxes(boxes: Box[]): Box | null {
  if (boxes.length === 0) return null;
  return {
    west: Math.min(...boxes.map(({ west }) => west)),
    south: Math.min(...boxes.map(({ south }) => south)),
    east: Math.max(...boxes.map(({ east }) => east)),
    north: Math.max(...boxes.map(({ north }) => north)),
  };
}

/** A box around the same centre. @param minDegrees its least width and height */
export function scaleBox(box: Box, factor: number, minDegrees = 0): Box {
  const width = Math.max(widthOf(box) * factor, minDegrees);
  const height = Math.max((box.north - box.south) * factor, minDegrees);
  const { lat, lng } = centreOf(box);
  return normalizeBox({
    west: lng - width / 2,
    south: lat - height / 2,
    east: lng + width / 2,
    north: lat + height / 2,
  });
}

/** A drawing of a box, which fits into it completely. */
export type Drawing = {
  /** The whole area of the drawing, which is at least the box. */
  box: Box;
  /** The zoom of a world of 256 pixels. */
  zoom: number;
  /** In units of the drawing: the width of the world, and where it begins. */
  worldSize: number;
  left: number;
  top: number;
  toX(lng: number): number;
  toY(lat: number): number;
};

/** Fits a box into a drawing of `width` × `height`. */
export function fitBox(box: Box, width: number, height: number): Drawing {
  const west = mercatorX(box.west);
  const [north, south] = [mercatorY(box.north), mercatorY(box.south)];
  const boxWidth = Math.max(widthOf(box) / 360, 1e-6);
  const boxHeight = Math.max(south - north, 1e-6);
  // The drawing is not higher than the world.
  const worldSize = Math.max(Math.min(width / boxWidth, height / boxHeight), width);
  const left = width / 2 - (west + boxWidth / 2) * worldSize;
  const top = clamp(height / 2 - (north + boxHeight / 2) * worldSize, height - worldSize, 0);
  return {
    box: normalizeBox({
      west: longitudeOf(-left / worldSize),
      east: longitudeOf((width - left) / worldSize),
      north: latitudeOf(-top / worldSize),
      south: latitudeOf((height - top) / worldSize),
    }),
    zoom: clamp(Math.floor(Math.log2(worldSize / 256)), 0, 22),
    worldSize,
    left,
    top,
    toX: (lng) => {
      const x = left + mercatorX(lng) * worldSize;
      // Beyond the antimeridian, another copy of the world is in the drawing.
      return x < -1 ? x + worldSize : x > width + 1 ? x - worldSize : x;
    },
    toY: (lat) => top + mercatorY(lat) * worldSize,
  };
}
