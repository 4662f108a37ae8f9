/** The streets of the operator's PMTiles file (MAP_TILES), drawn as Protomaps defines. Loaded where there is such a file. */

import { type Flavor, layers, namedFlavor } from '@protomaps/basemaps';
import type { ExpressionSpecification, LayerSpecification, SymbolLayerSpecification } from 'maplibre-gl';
import type { PMTiles } from 'pmtiles';
import type { Colours } from './map-colours.ts';
import { populationOf } from './map-scale.ts';
import { inkOf, lettersOf, type Streets } from './map-style.ts';
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
    layersIn: (colours) => layersOf(colours, language, minZoom),
  };
}

/** In the colours of the map around the streets. */
function flavorOf({ water, land, border, park, building, road, ink, soft }: Colours): Flavor {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const flavor = namedFlavor(isDark ? 'dark' : 'light');
  const all = (pattern: RegExp, colour: string) =>
    Object.fromEntries(
      Object.keys(flavor)
        .filter((key) => pattern.test(key))
        .map((key) => [key, colour]),
    );
  return {
    ...flavor,
    ...all(/^(park|wood|scrub|zoo|military)/, park),
    ...all(/^(hospital|industrial|school|pedestrian|aerodrome|runway|pier|buildings)/, building),
    ...all(/^(tunnel|bridges|minor|major|highway|link|other)/, road),
    ...all(/casing/, border),
    ...all(/_label$|^roads_label_(major|minor)$/, soft),
    ...all(/_halo$/, land),
    water,
    earth: land,
    boundaries: border,
    city_label: ink,
  };
}

function layersOf(colours: Colours, language: string, minZoom: number): LayerSpecification[] {
  const text = JSON.stringify(layers('streets', flavorOf(colours), { lang: language }))
    // The prefix marks names for a font that contains the shapes of whole words, which browsers do not have.
    .replaceAll('"pgf:', '"')
    // The letters of the page.
    .replaceAll(/"Noto Sans [^"]*"/g, '"Regular","Figtree"');
  return (JSON.parse(text) as LayerSpecification[])
    .filter(({ id, type }) => type !== 'background' && !signs.has(id))
    .map((layer) => ({
      ...withOwnNames(layer, colours),
      id: `streets-${layer.id}`,
      minzoom: Math.max(layer.minzoom ?? 0, minZoom),
    }));
}

/** Where a pin lies on the middle of a town, its name is beside it. */
const besidePins: SymbolLayerSpecification['layout'] = {
  'text-variable-anchor': ['center', 'top', 'bottom', 'left', 'right'],
  'text-radial-offset': 1.5,
};

const population: ExpressionSpecification = [
  'match',
  ['get', 'kind_detail'],
  ...Object.entries(populationOf).flat(),
  0,
] as unknown as ExpressionSpecification;

/** No icons, which would be on another server. Names of towns are as on the map around the streets. */
function withOwnNames(layer: LayerSpecification, colours: Colours): LayerSpecification {
  if (layer.type !== 'symbol') return layer;
  const { 'icon-image': _icon, ...layout } = layer.layout ?? {};
  if (layer.id !== 'places_locality') return { ...layer, layout };
  return {
    ...layer,
    layout: { ...layout, ...lettersOf(population), ...besidePins },
    paint: { ...inkOf(population, colours) },
  };
}
