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

/** Countries and towns as PMTiles (base-map.ts). */
const baseMap = '/map/base.pmtiles';

export type Colours = Record<'water' | 'land' | 'border' | 'ink' | 'soft', string>;

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

export function mapStyle(container: HTMLElement, streets: Streets | null): StyleSpecification {
  const colours = coloursOf(container);
  return {
    version: 8,
    sources: {
      base: { type: 'vector', url: `pmtiles://${baseMap}` },
      ...(streets && { streets: streets.source }),
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
      {
        id: 'base-borders',
        type: 'line',
        source: 'base',
        'source-layer': 'borders',
        paint: { 'line-color': colours.border, 'line-width': 1 },
      },
      ...(streets ? townsAround(streets, colours) : townLayers('base-towns', colours)),
      ...(streets?.layersIn(colours) ?? []),
    ],
  };
}

function coloursOf(container: HTMLElement): Colours {
  const style = getComputedStyle(container);
  const colour = (name: keyof Colours) => style.getPropertyValue(`--${name}`).trim();
  return {
    water: colour('water'),
    land: colour('land'),
    border: colour('border'),
    ink: colour('ink'),
    soft: colour('soft'),
  };
}

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
    'circle-radius': sizeOf(2, 2.5, 4),
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
      paint: { 'text-color': ink, 'text-halo-color': land, 'text-halo-width': 1.5 },
    },
  ];
}

/** The smallest population of a town with a name, by zoom. */
const isLarge: ExpressionSpecification = [
  '>=',
  ['get', 'population'],
  ['step', ['zoom'], 5e6, 2, 2e6, 3, 1e6, 4, 4e5, 5, 1.5e5, 6, 5e4, 7, 1e4, 8, 3e3, 9, 0],
];

const sizeOf = (small: number, medium: number, large: number): ExpressionSpecification => [
  'step',
  ['get', 'population'],
  small,
  2e4,
  medium,
  5e5,
  large,
];

const namesOfTowns: SymbolLayerSpecification['layout'] = {
  'text-field': ['get', 'name'],
  'text-font': ['step', ['get', 'population'], ['literal', regular], 500_000, ['literal', bold]],
  'text-size': ['interpolate', ['linear'], ['zoom'], 3, sizeOf(11, 11, 13), 10, sizeOf(13, 16, 20)],
  'text-variable-anchor': ['top', 'bottom', 'left', 'right'],
  'text-radial-offset': 0.4,
  'text-max-width': 8,
  'text-padding': 6,
  'symbol-sort-key': ['-', ['get', 'population']],
};
