/** A made-up town in the layers of Protomaps, as an operator's file of streets (MAP_TILES). */
import { GeoJSONVT, type GeoJSONVTTile } from '@maplibre/geojson-vt';
import { fromGeojsonVt } from '@maplibre/vt-pbf';
import type { Feature, Geometry } from 'geojson';
import { type Tile, writePmtiles } from '../../src/lib/pmtiles-file.ts';
import { mercatorX, mercatorY } from '../src/lib/map/mercator.ts';

/** The middle of the town, in the North Sea, where the base map has water alone. */
export const town = { lat: 56.5, lng: 3.2 };
const [width, height] = [0.12, 0.07];
const [west, south, east, north] = [
  town.lng - width / 2,
  town.lat - height / 2,
  town.lng + width / 2,
  town.lat + height / 2,
];
const [minZoom, maxZoom] = [6, 14];

type Properties = Record<string, string | number>;

export function makeTown(): Buffer {
  const layers = Object.entries({
    earth: [feature(box(west, south, east, north), { kind: 'earth' })],
    landuse: [
      feature(box(town.lng + 0.01, town.lat + 0.005, town.lng + 0.04, town.lat + 0.025), { kind: 'park' }),
    ],
    water: [
      feature(
        {
          type: 'LineString',
          coordinates: [
            [west, town.lat + 0.001],
            [east, town.lat + 0.001],
          ],
        },
        { kind: 'river' },
      ),
      feature(box(west + 0.01, south + 0.005, west + 0.03, north - 0.005), { kind: 'lake' }),
    ],
    roads: roads(),
    buildings: buildings(),
    places: [
      feature(
        { type: 'Point', coordinates: [town.lng, town.lat] },
        { kind: 'locality', name: 'Nordhavn', population_rank: 10, min_zoom: 4 },
      ),
    ],
  }).map(([name, features]) => ({
    name,
    index: new GeoJSONVT({ type: 'FeatureCollection', features }, { maxZoom, indexMaxZoom: maxZoom }),
  }));
  const tiles: Tile[] = [];
  for (let z = minZoom; z <= maxZoom; z++) {
    for (const [x, y] of tilesIn(z)) {
      const found = layers
        .map(({ name, index }) => [name, index.getTile(z, x, y)] as const)
        .filter((layer): layer is [string, GeoJSONVTTile] => (layer[1]?.features.length ?? 0) > 0);
      const data = fromGeojsonVt(Object.fromEntries(found), { version: 2, extent: 4_096 });
      if (found.length > 0) tiles.push({ z, x, y, data });
    }
  }
  return writePmtiles(tiles, [west, south, east, north]);
}

const feature = (geometry: Geometry, properties: Properties): Feature => ({
  type: 'Feature',
  geometry,
  properties,
});

const box = (w: number, s: number, e: number, n: number): Geometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [w, s],
      [e, s],
      [e, n],
      [w, n],
      [w, s],
    ],
  ],
});

/** A grid of named streets, every fourth of which is wide. */
function roads(): Feature[] {
  const names = ['Harbour Street', 'Mill Lane', 'Orchard Road', 'شارع الميناء', 'Storgata'];
  const lines = Array.from({ length: 23 }, (_, i) => [
    [
      [west, south + (i + 1) * 0.003],
      [east, south + (i + 1) * 0.003],
    ],
    [
      [west + (i + 1) * 0.005, south],
      [west + (i + 1) * 0.005, north],
    ],
  ]).flat();
  return lines.map((coordinates, i) =>
    feature(
      { type: 'LineString', coordinates },
      {
        kind: i % 8 < 2 ? 'major_road' : 'minor_road',
        kind_detail: i % 8 < 2 ? 'primary' : 'residential',
        name: names[i % names.length] ?? '',
        min_zoom: 6,
      },
    ),
  );
}

const buildings = (): Feature[] =>
  Array.from({ length: 400 }, (_, i) => {
    const [w, s] = [town.lng - 0.025 + (i % 20) * 0.0025, town.lat - 0.03 + Math.floor(i / 20) * 0.0015];
    return feature(box(w + 0.0004, s + 0.0003, w + 0.0016, s + 0.001), { kind: 'building' });
  });

/** The columns and rows of the tiles of a zoom with the town. */
function tilesIn(z: number): [number, number][] {
  const columnOf = (lng: number) => Math.floor(mercatorX(lng) * 2 ** z);
  const rowOf = (lat: number) => Math.floor(mercatorY(lat) * 2 ** z);
  const tiles: [number, number][] = [];
  for (let x = columnOf(west); x <= columnOf(east); x++)
    for (let y = rowOf(north); y <= rowOf(south); y++) tiles.push([x, y]);
  return tiles;
}
