/**
 * Writes the base maps to `static/map/`: land and borders of Natural Earth as SVG drawings. The map without scripts shows
 * them, and the map with scripts reads their paths, which take a third of the bytes of GeoJSON.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { landSize, mercatorX, mercatorY } from './src/lib/discovery/mercator.ts';

const out = path.join(import.meta.dirname, 'static', 'map');
const atlas = path.join(import.meta.dirname, '..', 'node_modules', 'world-atlas');

/** The scales of Natural Earth: a small file for the world, and a precise one for regions. */
const scales = ['110m', '50m'];

type World = Topology<{ land: GeometryCollection; countries: GeometryCollection }>;

export async function buildMapData(): Promise<void> {
  await mkdir(out, { recursive: true });
  for (const scale of scales) {
    const world = JSON.parse(await readFile(path.join(atlas, `countries-${scale}.json`), 'utf8')) as World;
    const borders = mesh(world, world.objects.countries, (a, b) => a !== b).coordinates;
    await writeFile(path.join(out, `land-${scale}.svg`), toSvg(landRings(world), borders));
  }
}

/** Outlines of land and of its lakes. */
function landRings(world: World): Position[][] {
  const land = feature(world, world.objects.land);
  return land.features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon'
      ? geometry.coordinates.flat()
      : geometry.type === 'Polygon'
        ? geometry.coordinates
        : [],
  );
}

/** A drawing in the Mercator projection. The page that uses its parts gives them their colours. */
function toSvg(rings: Position[][], borders: Position[][]): string {
  const draw = (lines: Position[][], end: string) => lines.map((line) => pathOf(line) + end).join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${landSize} ${landSize}">` +
    `<path id="land" fill-rule="evenodd" d="${draw(rings, 'z')}"/>` +
    `<path id="borders" fill="none" vector-effect="non-scaling-stroke" d="${draw(borders, '')}"/></svg>`
  );
}

function pathOf(line: Position[]): string {
  let [lastX, lastY] = [0, 0];
  return line
    .map(([lng = 0, lat = 0], i) => {
      const [x, y] = [Math.round(mercatorX(lng) * landSize), Math.round(mercatorY(lat) * landSize)];
      const step = i === 0 ? `M${x} ${y}` : x === lastX && y === lastY ? '' : `l${x - lastX} ${y - lastY}`;
      [lastX, lastY] = [x, y];
      return step;
    })
    .join('');
}
