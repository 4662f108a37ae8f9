/** Reads the drawings of the world (map-data.ts) as GeoJSON. */
import type { FeatureCollection, Position } from 'geojson';
import { landSize, latitudeOf, longitudeOf } from './mercator.ts';

/** @param svg the text of a drawing, or an empty text for a world without land */
export function readLand(svg: string): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: { kind: 'land' },
        geometry: { type: 'MultiPolygon', coordinates: toPolygons(readPaths(svg, 'land')) },
      },
      {
        type: 'Feature',
        properties: { kind: 'border' },
        geometry: { type: 'MultiLineString', coordinates: readPaths(svg, 'borders').map(toPositions) },
      },
    ],
  };
}

type Point = [x: number, y: number];

/** The lines of a path, in units of the drawing. All steps are relative, but the first one of a line. */
function readPaths(svg: string, id: string): Point[][] {
  const [, path = ''] = new RegExp(`id="${id}"[^>]* d="([^"]*)"`).exec(svg) ?? [];
  return path
    .split('M')
    .slice(1)
    .map((line) => {
      let [x, y] = [0, 0];
      return line
        .replace('z', '')
        .split('l')
        .map((step): Point => {
          const [dx = 0, dy = 0] = step.split(' ').map(Number);
          [x, y] = [x + dx, y + dy];
          return [x, y];
        });
    });
}

const toPositions = (line: Point[]): Position[] =>
  line.map(([x, y]) => [longitudeOf(x / landSize), latitudeOf(y / landSize)]);

/** Outlines of land are clockwise, and those of the lakes in it follow them. */
function toPolygons(rings: Point[][]): Position[][][] {
  const polygons: Position[][][] = [];
  for (const ring of rings.filter(({ length }) => length > 2)) {
    const positions = toPositions([...ring, ring[0] as Point]);
    if (isClockwise(ring) || polygons.length === 0) polygons.push([positions]);
    else polygons.at(-1)?.push(positions);
  }
  return polygons;
}

function isClockwise(ring: Point[]): boolean {
  const area = ring.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = ring[(i + 1) % ring.length] as Point;
    return sum + (nextX - x) * (nextY + y);
  }, 0);
  // The y axis of a drawing points down.
  return area < 0;
}
