/** The map that can be moved. It is loaded with the map view only, where the browser has WebGL. */
import { type LngLatBounds, Marker } from 'maplibre-gl';
import { type Box, normalizeBox } from './mercator.ts';
import { type MapTexts, maxZoom, openMap } from './open-map.ts';

type ClusterMarker = {
  lat: number;
  lng: number;
  count: number;
  /** The count, as the marker shows it. */
  text: string;
  name: string;
  /** The page of a single event. */
  href: string | null;
  /** The box that the cluster leads to. */
  box: Box;
};

export type LiveMap = {
  /** Resolves when the map is drawn. */
  ready: Promise<void>;
  setMarkers(markers: ClusterMarker[]): void;
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
  texts: MapTexts;
};

const settleMs = 200;
const largeCluster = 100;

/** @throws Error if the browser has no graphics driver for it */
export async function startLiveMap({ box, onmove, ...options }: Options): Promise<LiveMap> {
  const { map, ready, remove } = await openMap({ ...options, bounds: boundsOf(box) });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isMovedByPage = false;
  map.on('moveend', () => {
    clearTimeout(timer);
    if (isMovedByPage) return;
    timer = setTimeout(() => onmove(toBox(map.getBounds()), Math.floor(map.getZoom() + 1)), settleMs);
  });

  const markers = new Map<string, Marker>();
  return {
    ready,
    setMarkers(wanted) {
      const byKey = new Map(wanted.map((each) => [`${each.lat} ${each.lng} ${each.count}`, each]));
      for (const [key, marker] of markers) {
        if (byKey.has(key)) continue;
        marker.remove();
        markers.delete(key);
      }
      for (const [key, each] of byKey) {
        if (markers.has(key)) continue;
        const element = createElement(each, () => {
          map.getCanvas().focus({ preventScroll: true });
          map.fitBounds(boundsOf(each.box), { maxZoom });
        });
        markers.set(key, new Marker({ element }).setLngLat([each.lng, each.lat]).addTo(map));
        // MapLibre gives every marker the same name.
        element.setAttribute('aria-label', each.name);
      }
    },
    show(next) {
      isMovedByPage = true;
      map.fitBounds(boundsOf(next), { animate: false });
      isMovedByPage = false;
    },
    remove() {
      clearTimeout(timer);
      remove();
    },
  };
}

function createElement({ text, count, href }: ClusterMarker, onclick: () => void): HTMLElement {
  const element = document.createElement(href === null ? 'button' : 'a');
  element.className = count >= largeCluster ? 'cluster large' : 'cluster';
  element.textContent = text;
  // Large clusters are above small ones.
  element.style.zIndex = `${Math.min(count, 10_000)}`;
  if (element instanceof HTMLAnchorElement) element.href = href ?? '';
  else {
    element.setAttribute('type', 'button');
    element.addEventListener('click', onclick);
  }
  return element;
}

/** East of the antimeridian, longitudes go on. */
const boundsOf = ({ west, south, east, north }: Box): [number, number, number, number] => [
  west,
  south,
  west > east ? east + 360 : east,
  north,
];

const toBox = (bounds: LngLatBounds): Box =>
  normalizeBox({
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
  });
