/** Writes the base map to `static/map/`: land and borders of Natural Earth with towns, as PMTiles. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { buildBaseMap } from './base-map.ts';

const out = path.join(import.meta.dirname, 'static', 'map');
const atlas = path.join(import.meta.dirname, '..', 'node_modules', 'world-atlas');

async function buildMapData(): Promise<void> {
  await mkdir(out, { recursive: true });
  await buildBaseMap(atlas, path.join(out, 'base.pmtiles'));
}

if (import.meta.main) await buildMapData();
