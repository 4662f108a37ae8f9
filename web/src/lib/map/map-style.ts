/** The style of the map that can be moved: countries and towns in the colours of the page, and streets where it has them. */
import type { FeatureCollection, Polygon } from 'geojson';
import type {
  CircleLayerSpecification,
  ExpressionSpecification,
  LayerSpecification,
  LineLayerSpecification,
  StyleSpecification,
  SymbolLayerSpecification,
  VectorSourceSpecification,
} from 'maplibre-gl';
import { localNameIn } from './local-names.ts';
import { type Colours, coloursOf } from './map-colours.ts';
import { roomLayer, stepsOf } from './map-overlays.ts';
import {
  borderDashes,
  builtSize,
  leastBold,
  leastBuilt,
  leastInk,
  leastPopulation,
  nameSizes,
  type Steps,
  shoreOpacity,
  shoreWidth,
  townZoom,
} from './map-scale.ts';
import { ringLayers } from './rings.ts';

/** Countries and towns as PMTiles (base-map.ts). */
export const baseMap = '/map/base.pmtiles';

/** Streets of the operator (streets.ts). */
export type Streets = {
  source: VectorSourceSpecification;
  /** The lowest zoom with streets. Below it, a tile with a town would show a part of the world in another style. */
  minZoom: number;
  /** Where the file has streets. */
  area: Polygon;
  layersIn(colours: Colours): LayerSpecification[];
};

/** Without `glyphs`, MapLibre draws all labels with fonts of the browser. The first name is the weight. */
const [regular, bold] = [
  ['Regular', 'Figtree'],
  ['Bold', 'Figtree'],
];

/** What a map shows besides the base map. `local`: names of towns in the addresses beside it (local-names.ts). */
export type MapContent = {
  streets: Streets | null;
  room: FeatureCollection;
  rings: FeatureCollection;
  local: string[];
};

export function mapStyle(
  container: HTMLElement,
  { streets, room, rings, local }: MapContent,
): StyleSpecification {
  const colours = coloursOf(container);
  return {
    version: 8,
    sources: {
      base: { type: 'vector', url: `pmtiles://${baseMap}` },
      ...(streets && { streets: streets.source }),
      rings: { type: 'geojson', data: rings },
      room: { type: 'geojson', data: room },
    },
    layers: [
      { id: 'base-water', type: 'background', paint: { 'background-color': colours.water } },
      // Below the land, which covers its half of the line.
      {
        id: 'base-shore',
        type: 'line',
        source: 'base',
        'source-layer': 'land',
        minzoom: townZoom,
        paint: { 'line-color': colours.land, 'line-width': shoreWidth, 'line-opacity': shoreOpacity },
      },
      {
        id: 'base-land',
        type: 'fill',
        source: 'base',
        'source-layer': 'land',
        paint: { 'fill-color': colours.land },
      },
      // Streets have more precise ones.
      ...[builtLayer(colours), borderLayer(colours)].map((layer) =>
        streets ? { ...layer, maxzoom: streets.minZoom } : layer,
      ),
      ...(streets
        ? townsAround(streets, colours, local)
        : [...ringLayers(colours), ...townLayers('base-towns', colours, local)]),
      ...(streets?.layersIn(colours) ?? []),
      roomLayer,
    ],
  };
}

/** Where people live: a ground as wide as the town. */
const builtLayer = ({ built }: Colours): CircleLayerSpecification => ({
  id: 'base-built',
  type: 'circle',
  source: 'base',
  'source-layer': 'towns',
  minzoom: leastBuilt,
  filter: isLarge,
  paint: {
    'circle-color': built,
    'circle-blur': 0.45,
    // Rivers and coasts stay in sight below it.
    'circle-opacity': 0.45,
    'circle-radius': ['interpolate', ['exponential', 2], ['zoom'], 4, builtAt(4), 18, builtAt(18)],
  },
});
/** In pixels. */
const builtAt = (zoom: number): ExpressionSpecification => [
  '*',
  builtSize * 512 * 2 ** zoom,
  ['sqrt', ['get', 'population']],
];

const borderLayer = ({ border }: Colours): LineLayerSpecification => ({
  id: 'base-borders',
  type: 'line',
  source: 'base',
  'source-layer': 'borders',
  layout: { 'line-join': 'round' },
  paint: { 'line-color': border, 'line-width': 1.5, 'line-dasharray': borderDashes },
});

/** Streets have the names of their own towns, from their lowest zoom on. */
function townsAround({ minZoom, area }: Streets, colours: Colours, local: string[]): LayerSpecification[] {
  return [
    ...townLayers('base-towns', colours, local).map((layer) => ({ ...layer, maxzoom: minZoom })),
    ...townLayers('base-towns-around', colours, local, ['!', ['within', area]]).map((layer) => ({
      ...layer,
      minzoom: minZoom,
    })),
  ];
}

/** Names where there is room for them: those of large towns come first. */
function townLayers(
  id: string,
  colours: Colours,
  local: string[],
  filter: ExpressionSpecification | true = true,
): SymbolLayerSpecification[] {
  const common = {
    source: 'base',
    'source-layer': 'towns',
    filter: ['all', isLarge, filter] as ExpressionSpecification,
  };
  return [
    {
      ...common,
      id,
      type: 'symbol',
      layout: { ...namesOfTowns, 'text-field': localNameIn(local) },
      paint: inkOf(['get', 'population'], colours),
    },
  ];
}

const isLarge: ExpressionSpecification = ['>=', ['get', 'population'], stepsOf(leastPopulation, ['zoom'])];

/** One value for the towns from a population on, which depends on the zoom, and another one for smaller ones. */
const choose = <T extends string | ExpressionSpecification>(
  population: ExpressionSpecification,
  [first, ...later]: Steps,
  [small, large]: [T, T],
): ExpressionSpecification => {
  const from = (least: number) => ['step', population, small, least, large];
  const steps = later.flatMap(([zoom, least]) => [zoom, from(least)]);
  return ['step', ['zoom'], from(first), ...steps] as unknown as ExpressionSpecification;
};

/** The letters of the names of towns. */
export const lettersOf = (
  population: ExpressionSpecification,
): Required<Pick<NonNullable<SymbolLayerSpecification['layout']>, 'text-font' | 'text-size'>> => ({
  'text-font': choose(population, leastBold, [
    ['literal', regular],
    ['literal', bold],
  ]),
  'text-size': [
    'interpolate',
    ['linear'],
    ['zoom'],
    ...nameSizes.flatMap(({ zoom, sizes }) => [zoom, stepsOf(sizes, population)]),
  ] as ExpressionSpecification,
});

export const inkOf = (
  population: ExpressionSpecification,
  { ink, soft, land }: Colours,
): SymbolLayerSpecification['paint'] => ({
  'text-color': choose(population, leastInk, [soft, ink]),
  'text-halo-color': land,
  'text-halo-width': 1.5,
});

const namesOfTowns: SymbolLayerSpecification['layout'] = {
  ...lettersOf(['get', 'population']),
  // On the town, or else beside a pin that lies on it.
  'text-variable-anchor-offset': [
    'center',
    [0, 0],
    ...[0.4, 2.1].flatMap((far) => [
      'top',
      [0, far],
      'bottom',
      [0, -far],
      'left',
      [far, 0],
      'right',
      [-far, 0],
    ]),
  ] as NonNullable<SymbolLayerSpecification['layout']>['text-variable-anchor-offset'],
  'text-max-width': 8,
  'text-padding': 10,
  'symbol-sort-key': ['-', ['get', 'population']],
};
