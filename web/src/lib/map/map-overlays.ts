/** What lies over a map: room that no name may take. */
import type { FeatureCollection } from 'geojson';
import type { ExpressionSpecification, LayerSpecification, Map as MapLibre } from 'maplibre-gl';
import type { Steps } from './map-scale.ts';

export const noRoom: FeatureCollection = { type: 'FeatureCollection', features: [] };

export const stepsOf = (
  [first, ...later]: Steps,
  input: ExpressionSpecification,
): ExpressionSpecification => ['step', input, first, ...later.flat()];

/** A letter of the room of names, which is not drawn, in CSS pixels. */
const letter = { width: 21, height: 42 };

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
    .parentElement?.querySelectorAll('.maplibregl-marker, .cluster span, .maplibregl-ctrl-group, .over-map');
  const boxes = [
    ...[...(things ?? [])].map((thing) => thing.getBoundingClientRect()),
    ...[top, bottom].map((y) => new DOMRect(left, y - letter.height / 2, width, letter.height)),
    ...[left, right].map((x) => new DOMRect(x - letter.width / 2, top, letter.width, height)),
  ];
  return {
    type: 'FeatureCollection',
    features: boxes.flatMap((box) => rowsOf(box, frame)).map(({ x, y, text }) => toPoint(map, x, y, text)),
  };
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
