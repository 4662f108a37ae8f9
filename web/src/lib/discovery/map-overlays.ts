/** What lies over a map without streets: circles of equal distance, and room that no name may take. */
import type { FeatureCollection, Position } from 'geojson';
import type {
  ExpressionSpecification,
  LayerSpecification,
  Map as MapLibre,
  SourceSpecification,
} from 'maplibre-gl';
import { formatKilometres } from '#lib/language/format.ts';
import type { Colours } from './map-colours.ts';
import { discOpacity, discRange, leastRing, ringOpacity, ringRadii, type Steps } from './map-scale.ts';
import { kmPerDegree, type Place } from './mercator.ts';

export type Overlays = Record<'rings' | 'room', FeatureCollection>;

const collect = (features: FeatureCollection['features']): FeatureCollection => ({
  type: 'FeatureCollection',
  features,
});
export const noOverlays = (): Overlays => ({ rings: collect([]), room: collect([]) });

export const sourcesOf = (overlays: Overlays): Record<string, SourceSpecification> =>
  Object.fromEntries(Object.entries(overlays).map(([id, data]) => [id, { type: 'geojson', data }]));

const corners = 72;

/** Circles around a place, each with its radius at its northern and southern ends. */
export function ringsAround(place: Place | null): FeatureCollection {
  if (!place) return collect([]);
  return collect(
    ringRadii.flatMap((km) => {
      const properties = { km, label: formatKilometres(km) };
      const circle = Array.from({ length: corners + 1 }, (_, i) =>
        pointAt(place, km, (2 * Math.PI * i) / corners),
      );
      const geometry = { type: 'Polygon' as const, coordinates: [circle] };
      return [
        { type: 'Feature' as const, properties, geometry },
        ...[0, Math.PI].map((angle) => ({
          type: 'Feature' as const,
          properties,
          geometry: { type: 'Point' as const, coordinates: pointAt(place, km, angle) },
        })),
      ];
    }),
  );
}

/** @param angle from the north, in radians */
function pointAt({ lat, lng }: Place, km: number, angle: number): Position {
  const degrees = km / kmPerDegree;
  const wide = Math.max(Math.cos((lat * Math.PI) / 180), 0.05);
  return [lng + (degrees * Math.sin(angle)) / wide, lat + degrees * Math.cos(angle)];
}

export const stepsOf = (
  [first, ...later]: Steps,
  input: ExpressionSpecification,
): ExpressionSpecification => ['step', input, first, ...later.flat()];

const isNear: ExpressionSpecification = ['<=', ['/', ['get', 'km'], discRange], stepsOf(leastRing, ['zoom'])];
const isShown: ExpressionSpecification = ['>=', ['get', 'km'], stepsOf(leastRing, ['zoom'])];

/** A letter of the room of names, which is not drawn, in CSS pixels. */
const letter = { width: 21, height: 42 };

/** The nearer the place, the lighter the ground. */
export const discLayer = ({ road }: Colours): LayerSpecification => ({
  id: 'discs',
  type: 'fill',
  source: 'rings',
  filter: ['all', isShown, isNear],
  paint: { 'fill-color': road, 'fill-opacity': discOpacity },
});

export const ringLayers = ({ soft, land }: Colours): LayerSpecification[] => [
  {
    id: 'rings',
    type: 'line',
    source: 'rings',
    filter: isShown,
    paint: { 'line-color': soft, 'line-opacity': ringOpacity, 'line-width': 1 },
  },
  {
    id: 'ring-labels',
    type: 'symbol',
    source: 'rings',
    filter: ['all', isShown, ['==', ['geometry-type'], 'Point']],
    layout: { 'text-field': ['get', 'label'], 'text-font': ['Regular', 'Figtree'], 'text-size': 12 },
    paint: { 'text-color': soft, 'text-halo-color': land, 'text-halo-width': 2 },
  },
];

/** Above all names: MapLibre draws no name over another. */
export const roomLayer: LayerSpecification = {
  id: 'room',
  type: 'symbol',
  source: 'room',
  layout: {
    'text-field': ['get', 'text'],
    'text-size': letter.height / 1.2,
    'text-padding': 0,
    'text-allow-overlap': true,
  },
  paint: { 'text-opacity': 0 },
};

/** The room of the markers, the buttons and the texts that lie on the map now, and of its edges, which would cut names. */
export function takenRoom(map: MapLibre): FeatureCollection {
  const frame = map.getContainer().getBoundingClientRect();
  const { left, right, top, bottom, width, height } = frame;
  const things = map
    .getContainer()
    .parentElement?.querySelectorAll('.maplibregl-marker, .maplibregl-ctrl-group, .over-map');
  const boxes = [
    ...[...(things ?? [])].map((thing) => thing.getBoundingClientRect()),
    ...[top, bottom].map((y) => new DOMRect(left, y - letter.height / 2, width, letter.height)),
    ...[left, right].map((x) => new DOMRect(x - letter.width / 2, top, letter.width, height)),
  ];
  return collect(
    boxes.flatMap((box) => rowsOf(box, frame)).map(({ x, y, text }) => toPoint(map, x, y, text)),
  );
}

/** Rows of letters that cover a box, by their middles in the frame. */
function rowsOf({ x, y, width, height }: DOMRect, frame: DOMRect): { x: number; y: number; text: string }[] {
  const count = Math.ceil(height / letter.height);
  return Array.from({ length: count }, (_, i) => ({
    x: x + width / 2 - frame.left,
    y: y + ((i + 0.5) * height) / count - frame.top,
    text: '0'.repeat(Math.ceil(width / letter.width)),
  }));
}

const toPoint = (
  map: MapLibre,
  x: number,
  y: number,
  text: string,
): FeatureCollection['features'][number] => ({
  type: 'Feature',
  properties: { text },
  geometry: { type: 'Point', coordinates: map.unproject([x, y]).toArray() },
});
