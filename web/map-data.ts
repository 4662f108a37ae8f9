/**
 * Writes the base maps to `static/map/`: land and borders of Natural Earth as SVG drawings, for the map without scripts,
 * and with towns as PMTiles, for the map that can be moved.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Position } from 'geojson';
import { buildBaseMap } from './base-map.ts';
import { bordersOf, landOf, type World } from './natural-earth.ts';
import { landSize, mercatorX, mercatorY } from './src/lib/discovery/mercator.ts';

const out = path.join(import.meta.dirname, 'static', 'map');
const atlas = path.join(import.meta.dirname, '..', 'node_modules', 'world-atlas');

/** The scales of Natural Earth: a small file for the world, and a precise one for regions. */
const scales = ['110m', '50m'];

async function buildMapData(): Promise<void> {
  await mkdir(out, { recursive: true });
  for (const scale of scales) {
    const world = JSON.parse(await readFile(path.join(atlas, `countries-${scale}.json`), 'utf8')) as World;
    await writeFile(path.join(out, `land-${scale}.svg`), toSvg(landRings(world), bordersOf(world)));
  }
  await buildBaseMap(atlas, path.join(out, 'base.pmtiles'));
}

/** Outlines of land and of its lakes. Those that cross 180° are drawn at both ends of the map. */
const landRings = (world: World): Position[][] =>
  landOf(world)
    .flat()
    .flatMap((ring) => {
      const lngs = ring.map(([lng = 0]) => lng);
      const moved = (degrees: number) => ring.map(([lng = 0, lat = 0]) => [lng + degrees, lat]);
      if (Math.max(...lngs) > 180) return [ring, moved(-360)];
      return Math.min(...lngs) < -180 ? [ring, moved(360)] : [ring];
    });

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

if (import.meta.main) await buildMapData();
