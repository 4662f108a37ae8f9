/** Reads the land and the borders of the package `world-atlas` (Natural Earth). */
import type { Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';

export type World = Topology<{ land: GeometryCollection; countries: GeometryCollection }>;

export const bordersOf = (world: World): Position[][] =>
  mesh(world, world.objects.countries, (a, b) => a !== b).coordinates;

/** Outlines of land, and of the lakes in it. */
export function landOf(world: World): Position[][][] {
  const polygons = feature(world, world.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon'
      ? geometry.coordinates
      : geometry.type === 'Polygon'
        ? [geometry.coordinates]
        : [],
  );
  return polygons.map((rings) => rings.map(unwrap));
}

/**
 * The source is made for a globe: outlines jump from 180° to −180°, which would be lines across the whole map. In the
 * result they go on beyond 180°.
 */
function unwrap(ring: Position[]): Position[] {
  let shift = 0;
  const points = ring.map(([lng = 0, lat = 0], i) => {
    const step = lng - (ring[i - 1]?.[0] ?? lng);
    if (Math.abs(step) > 180) shift -= Math.sign(step) * 360;
    return [lng + shift, lat] as const;
  });
  const [[first = 0] = [], [last = 0] = []] = [points.at(0), points.at(-1)];
  // Antarctica goes around the pole.
  if (first !== last) points.push([last, -90], [first, -90]);
  const lngs = points.map(([lng]) => lng);
  const middle = (Math.min(...lngs) + Math.max(...lngs)) / 2;
  return points.map(([lng, lat]) => [lng - 360 * Math.round(middle / 360), lat]);
}
