/** The streets of the operator's PMTiles file (MAP_TILES), drawn as Protomaps defines. Loaded where there is such a file. */

import { type Flavor, layers, namedFlavor } from '@protomaps/basemaps';
import type { LayerSpecification } from 'maplibre-gl';
import type { PMTiles } from 'pmtiles';
import type { Colours } from './map-colours.ts';
import type { Streets } from './map-style.ts';
import { mercatorX, mercatorY } from './mercator.ts';

/** A file with the whole width of the map at a zoom is shown from two levels before that zoom on. */
const earlierZooms = 2;
/** These layers are signs, which would need images from another server. */
const signs = new Set(['roads_oneway', 'roads_shields', 'pois']);

/**
 * Reads the index of the file.
 * @throws Error if it cannot be loaded
 */
export async function loadStreets(file: PMTiles, language: string): Promise<Streets> {
  const { minLon, minLat, maxLon, maxLat } = await file.getHeader();
  const size = Math.max(mercatorX(maxLon) - mercatorX(minLon), mercatorY(minLat) - mercatorY(maxLat));
  const minZoom = Math.max(Math.log2(1 / size) - earlierZooms, 0);
  const corners = [
    [minLon, minLat],
    [maxLon, minLat],
    [maxLon, maxLat],
    [minLon, maxLat],
    [minLon, minLat],
  ];
  return {
    source: { type: 'vector', url: `pmtiles://${file.source.getKey()}` },
    minZoom,
    area: { type: 'Polygon', coordinates: [corners] },
    layersIn: (colours) => layersOf(flavorOf(colours), language, minZoom),
  };
}

/** Water, land and names are as on the map around the streets. The edges of streets are darker than those of Protomaps. */
function flavorOf({ water, land, border, ink, soft }: Colours): Flavor {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const flavor = namedFlavor(isDark ? 'dark' : 'light');
  const edges = Object.keys(flavor).filter((key) => key.includes('casing'));
  return {
    ...flavor,
    ...Object.fromEntries(edges.map((key) => [key, border])),
    water,
    earth: land,
    city_label: ink,
    city_label_halo: land,
    subplace_label: soft,
    subplace_label_halo: land,
    roads_label_major: soft,
    roads_label_major_halo: land,
    roads_label_minor: soft,
    roads_label_minor_halo: land,
  };
}

function layersOf(flavor: Flavor, language: string, minZoom: number): LayerSpecification[] {
  // The prefix marks names for a font that contains the shapes of whole words, which browsers do not have.
  const text = JSON.stringify(layers('streets', flavor, { lang: language })).replaceAll('"pgf:', '"');
  return (JSON.parse(text) as LayerSpecification[])
    .filter(({ id, type }) => type !== 'background' && !signs.has(id))
    .map((layer) => ({
      ...withOwnLabels(layer),
      id: `streets-${layer.id}`,
      minzoom: Math.max(layer.minzoom ?? 0, minZoom),
    }));
}

/** Labels are in the letters of the page, and none has an icon, which would be on another server. */
function withOwnLabels(layer: LayerSpecification): LayerSpecification {
  if (layer.type !== 'symbol') return layer;
  const { 'icon-image': _icon, ...layout } = layer.layout ?? {};
  return { ...layer, layout: { ...layout, 'text-font': ['Regular', 'Figtree'] } };
}
