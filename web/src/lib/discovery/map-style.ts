/** The style of the map that can be moved: countries and towns in the colours of the page, and streets where it has them. */
import type { Polygon } from 'geojson';
import type {
  CircleLayerSpecification,
  ExpressionSpecification,
  LayerSpecification,
  StyleSpecification,
  SymbolLayerSpecification,
  VectorSourceSpecification,
} from 'maplibre-gl';
import { type Colours, coloursOf } from './map-colours.ts';
import { type Overlays, ringLayers, roomLayer, sourcesOf, stepsOf } from './map-overlays.ts';
import { builtBlur, builtSize, dotSizes, large, leastPopulation, medium, nameSizes } from './map-scale.ts';

/** Countries and towns as PMTiles (base-map.ts). */
const baseMap = '/map/base.pmtiles';

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

export function mapStyle(
  container: HTMLElement,
  streets: Streets | null,
  overlays: Overlays,
): StyleSpecification {
  const colours = coloursOf(container);
  return {
    version: 8,
    sources: {
      base: { type: 'vector', url: `pmtiles://${baseMap}` },
      ...(streets && { streets: streets.source }),
      ...sourcesOf(overlays),
    },
    layers: [
      { id: 'base-water', type: 'background', paint: { 'background-color': colours.water } },
      {
        id: 'base-land',
        type: 'fill',
        source: 'base',
        'source-layer': 'land',
        paint: { 'fill-color': colours.land },
      },
      builtLayer(colours),
      {
        id: 'base-borders',
        type: 'line',
        source: 'base',
        'source-layer': 'borders',
        paint: { 'line-color': colours.border, 'line-width': 1 },
      },
      ...ringLayers(colours),
      ...(streets ? townsAround(streets, colours) : townLayers('base-towns', colours)),
      ...(streets?.layersIn(colours) ?? []),
      roomLayer,
    ],
  };
}

/** Where people live: a soft ground as wide as the town. */
const builtLayer = ({ built }: Colours): CircleLayerSpecification => ({
  id: 'base-built',
  type: 'circle',
  source: 'base',
  'source-layer': 'towns',
  // Smaller ones would be dots, and hundreds of them would slow down software that draws maps.
  minzoom: 6,
  filter: ['>=', ['get', 'population'], medium],
  paint: {
    'circle-color': built,
    'circle-blur': builtBlur,
    'circle-radius': ['interpolate', ['exponential', 2], ['zoom'], 4, builtAt(4), 18, builtAt(18)],
  },
});
/** In pixels. */
const builtAt = (zoom: number): ExpressionSpecification => [
  '*',
  builtSize * 512 * 2 ** zoom,
  ['sqrt', ['get', 'population']],
];

/** Streets have the names of their own towns, from their lowest zoom on. */
function townsAround({ minZoom, area }: Streets, colours: Colours): LayerSpecification[] {
  return [
    ...townLayers('base-towns', colours).map((layer) => ({ ...layer, maxzoom: minZoom })),
    ...townLayers('base-towns-around', colours, ['!', ['within', area]]).map((layer) => ({
      ...layer,
      minzoom: minZoom,
    })),
  ];
}

/** Dots, and names where there is room for them: those of large towns come first. */
function townLayers(
  id: string,
  { ink, soft, land }: Colours,
  filter: ExpressionSpecification | true = true,
): (CircleLayerSpecification | SymbolLayerSpecification)[] {
  const common = {
    source: 'base',
    'source-layer': 'towns',
    filter: ['all', isLarge, filter] as ExpressionSpecification,
  };
  const dots = {
    'circle-radius': stepsOf(dotSizes, ['get', 'population']),
    'circle-color': soft,
    'circle-stroke-color': land,
    'circle-stroke-width': 1,
  };
  return [
    { ...common, id: `${id}-dots`, type: 'circle', paint: dots },
    {
      ...common,
      id,
      type: 'symbol',
      layout: namesOfTowns,
      paint: {
        'text-color': ['step', ['get', 'population'], soft, medium, ink],
        'text-halo-color': land,
        'text-halo-width': 1.5,
      },
    },
  ];
}

const isLarge: ExpressionSpecification = ['>=', ['get', 'population'], stepsOf(leastPopulation, ['zoom'])];

const namesOfTowns: SymbolLayerSpecification['layout'] = {
  'text-field': ['get', 'name'],
  'text-font': ['step', ['get', 'population'], ['literal', regular], large, ['literal', bold]],
  'text-size': [
    'interpolate',
    ['linear'],
    ['zoom'],
    ...nameSizes.flatMap(({ zoom, sizes }) => [zoom, stepsOf(sizes, ['get', 'population'])]),
  ] as ExpressionSpecification,
  'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
  'text-radial-offset': 0.4,
  'text-max-width': 8,
  'text-padding': 10,
  'symbol-sort-key': ['-', ['get', 'population']],
};
