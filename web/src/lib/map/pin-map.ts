/** A map with one pin, which is moved by dragging it, by a tap on the map, and by the arrow keys. */
import { type LngLatLike, Marker } from 'maplibre-gl';
import { type Box, centreOf, type Place, toBounds } from './mercator.ts';
import { type MapTexts, openMap } from './open-map.ts';
import { ringsAround } from './rings.ts';

export type PinMap = {
  /** Moves the pin, unless it is there, and the map to its surroundings. */
  show(pin: Place): void;
  remove(): void;
};

type Options = {
  container: HTMLElement;
  /** Null: the pin appears with the first `show` or tap. */
  pin: Place | null;
  /** What the map shows of the surroundings of a pin, or without one. */
  boxAt: (pin: Place | null, hasStreets: boolean) => Box;
  /** The address of the streets; null for a map without streets. */
  tiles: string | null;
  language: string;
  /** Names of towns in addresses (local-names.ts). */
  local: string[];
  texts: MapTexts & { pin: string };
  onmove: (pin: Place) => void;
  /** Called with each place that the map shows. */
  onstreets: (hasStreets: boolean) => void;
};

/** The form rounds coordinates to this. */
const sameDegrees = 1e-5;
/** In CSS pixels; with Shift, the larger step. */
const [step, largeStep] = [4, 40];
const directions: Record<string, [x: number, y: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** @throws Error if the browser has no graphics driver for it */
export async function startPinMap({
  pin,
  boxAt,
  onmove,
  onstreets,
  texts,
  ...options
}: Options): Promise<PinMap> {
  const box = boxAt(pin, options.tiles !== null);
  const { map, ready, makeRoom, hasStreetsAt, showRings, remove } = await openMap({
    ...options,
    texts,
    bounds: toBounds(box),
  });
  await ready;
  // Without streets, there would be nothing in the box.
  const hasStreets = await hasStreetsAt(pin ?? centreOf(box));
  onstreets(hasStreets);
  if (!hasStreets) map.fitBounds(toBounds(boxAt(pin, false)), { animate: false });
  const element = document.createElement('button');
  element.type = 'button';
  element.className = 'pin';
  const marker = new Marker({ element, draggable: true, anchor: 'bottom' });
  let isPlaced = false;
  const place = (at: LngLatLike) => {
    marker.setLngLat(at);
    if (!isPlaced) marker.addTo(map);
    isPlaced = true;
    // MapLibre gives every marker the same name.
    element.setAttribute('aria-label', texts.pin);
    if (options.tiles === null) showRings(ringsAround(marker.getLngLat(), options.language, () => true));
    makeRoom();
  };
  if (pin) place(pin);

  const tell = () => {
    const { lat, lng } = marker.getLngLat().wrap();
    place({ lat, lng });
    onmove({ lat, lng });
  };
  marker.on('dragend', tell);
  map.on('click', ({ lngLat, originalEvent }) => {
    if (element.contains(originalEvent.target as Node)) return;
    marker.setLngLat(lngLat);
    tell();
  });
  element.addEventListener('keydown', (event) => {
    const [x, y] = directions[event.key] ?? [0, 0];
    if (x === 0 && y === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const length = event.shiftKey ? largeStep : step;
    const from = map.project(marker.getLngLat());
    marker.setLngLat(map.unproject([from.x + x * length, from.y + y * length]));
    keepInView();
    tell();
  });

  function keepInView(): void {
    const at = marker.getLngLat();
    if (!map.getBounds().contains(at)) map.easeTo({ center: at });
  }

  return {
    show({ lat, lng }) {
      const at = isPlaced && marker.getLngLat().wrap();
      if (at && Math.max(Math.abs(at.lat - lat), Math.abs(at.lng - lng)) < sameDegrees) return;
      place({ lat, lng });
      void hasStreetsAt({ lat, lng }).then((hasStreets) => {
        onstreets(hasStreets);
        map.fitBounds(toBounds(boxAt({ lat, lng }, hasStreets)));
      });
    },
    remove,
  };
}
