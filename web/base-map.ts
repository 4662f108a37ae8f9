/**
 * Writes the base map of the map with scripts as PMTiles: land and borders of Natural Earth at their highest precision,
 * and the towns of GeoNames. Browsers load the tiles that they show, of a few kilobytes each.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GeoJSONVT, type GeoJSONVTFeaturePoint, type GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { GeoJSON } from 'geojson';
import { type Tile, writePmtiles } from '../src/lib/pmtiles-file.ts';
import { type City, readCities } from '../src/modules/places/cities.ts';
import { bordersOf, landOf, type World } from './natural-earth.ts';
import { joinNames } from './src/lib/map/local-names.ts';
import { mercatorX, mercatorY } from './src/lib/map/mercator.ts';

/** The coordinates of the source are precise to 400 m: a pixel of this zoom. Browsers enlarge its tiles. */
const maxZoom = 7;
const extent = 4_096;
/** The smallest population of the towns in the tiles of each zoom. */
const minPopulations = [5_000_000, 2_000_000, 1_000_000, 400_000, 150_000, 50_000, 10_000, 0];
/** Towns from a population on have all their other names (local-names.ts), in the tiles from a zoom on: they are long. */
const otherNames = { minPopulation: 50_000, minZoom: 7 };

/** @param atlas the directory of the package `world-atlas` */
export async function buildBaseMap(atlas: string, file: string): Promise<void> {
  const world = JSON.parse(await readFile(path.join(atlas, 'countries-10m.json'), 'utf8')) as World;
  const land = index({ type: 'MultiPolygon', coordinates: landOf(world) });
  const borders = index({ type: 'MultiLineString', coordinates: bordersOf(world) });
  const { cities } = readCities();
  const tiles: Tile[] = [];
  for (let z = 0; z <= maxZoom; z++) {
    const towns = townsByTile(cities, z);
    for (let x = 0; x < 2 ** z; x++) {
      for (let y = 0; y < 2 ** z; y++) {
        const layers = {
          land: land.getTile(z, x, y),
          borders: borders.getTile(z, x, y),
          towns: towns.get(`${x} ${y}`),
        };
        const found = Object.entries(layers).filter(([, layer]) => layer?.features.length);
        if (found.length === 0) continue;
        const data = fromGeojsonVt(Object.fromEntries(found) as Record<string, GeoJSONVTTile>, {
          version: 2,
          extent,
        });
        tiles.push({ z, x, y, data });
      }
    }
  }
  await writeFile(file, writePmtiles(tiles, [-180, -85.05, 180, 85.05]));
}

const index = (data: GeoJSON) => new GeoJSONVT(data, { maxZoom, indexMaxZoom: maxZoom, extent });

/** The towns of each tile of a zoom, by its column and row. */
function townsByTile(cities: City[], z: number): Map<string, Pick<GeoJSONVTTile, 'features'>> {
  const tiles = new Map<string, Pick<GeoJSONVTTile, 'features'>>();
  for (const city of cities) {
    const { name, population, lat, lng } = city;
    if (population < (minPopulations[z] ?? 0)) continue;
    const [x, y] = [mercatorX(lng) * 2 ** z, mercatorY(lat) * 2 ** z];
    const key = `${Math.floor(x)} ${Math.floor(y)}`;
    const tile = tiles.get(key) ?? { features: [] };
    tiles.set(key, tile);
    const place: [number, number] = [Math.floor((x % 1) * extent), Math.floor((y % 1) * extent)];
    const town: GeoJSONVTFeaturePoint = {
      type: 1,
      geometry: [place],
      tags: { name, population, ...namesOf(city, z) },
    };
    tile.features.push(town);
  }
  return tiles;
}

function namesOf({ population, formerNames, otherNames: others }: City, z: number): { other?: string } {
  const hasAll = z >= otherNames.minZoom && population >= otherNames.minPopulation;
  const other = joinNames(hasAll ? [...formerNames, ...others] : formerNames);
  return other === '' ? {} : { other };
}
