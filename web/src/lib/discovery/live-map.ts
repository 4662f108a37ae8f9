/** The map that can be moved. It is loaded with the map view only, where the browser has WebGL. */
import type { LngLatBounds } from 'maplibre-gl';
import { type ClusterMarker, createMarkers } from './map-markers.ts';
import { type Box, normalizeBox, toBounds } from './mercator.ts';
import { type MapTexts, openMap } from './open-map.ts';

export type LiveMap = {
  /** Resolves when the map is drawn. */
  ready: Promise<void>;
  setMarkers(markers: ClusterMarker[]): void;
  /** Marks the event that the visitor points at. */
  setActive(eventId: string | null): void;
  show(box: Box): void;
  remove(): void;
};

type Options = {
  container: HTMLElement;
  box: Box;
  /** The address of the streets, as PMTiles; null for a map without streets. */
  tiles: string | null;
  language: string;
  /** Called when the visitor has moved the map. `zoom` is that of a world of 256 pixels. */
  onmove: (box: Box, zoom: number) => void;
  /** Called for an event that the visitor chose. */
  onselect: (eventId: string) => void;
  /** Called for the event that the visitor points at. */
  onpoint: (eventId: string | null) => void;
  /** Called for a cluster whose events are too near each other for the map. */
  onopen: (box: Box, zoom: number) => void;
  texts: MapTexts;
};

const settleMs = 200;
/** In a wide window, the wheel scrolls the page. On a phone, the map fills the window, and a finger moves the map. */
const wideWindow = '(min-width: 60rem)';

/** @throws Error if the browser has no graphics driver for it */
export async function startLiveMap(options: Options): Promise<LiveMap> {
  const { box, onmove, onopen } = options;
  const isCooperative = matchMedia(wideWindow).matches;
  const { map, ready, remove } = await openMap({ ...options, bounds: toBounds(box), isCooperative });
  const zoomOf = () => Math.floor(map.getZoom() + 1);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isMovedByPage = false;
  map.on('moveend', () => {
    clearTimeout(timer);
    if (isMovedByPage) return;
    timer = setTimeout(() => onmove(toBox(map.getBounds()), zoomOf()), settleMs);
  });

  const markers = createMarkers(map, {
    ...options,
    onzoom(next) {
      if (map.getZoom() >= map.getMaxZoom()) onopen(next, zoomOf());
      else {
        map.getCanvas().focus({ preventScroll: true });
        map.fitBounds(toBounds(next));
      }
    },
  });
  return {
    ready,
    setMarkers: markers.set,
    setActive: markers.setActive,
    show(next) {
      isMovedByPage = true;
      map.fitBounds(toBounds(next), { animate: false });
      isMovedByPage = false;
    },
    remove() {
      clearTimeout(timer);
      remove();
    },
  };
}

const toBox = (bounds: LngLatBounds): Box =>
  normalizeBox({
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
  });
