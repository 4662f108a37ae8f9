/** The map that can be moved. It is loaded with the map view only, where the browser has WebGL. */
import {
  addProtocol,
  type LngLatBounds,
  Map as MapLibre,
  Marker,
  NavigationControl,
  setWorkerUrl,
} from 'maplibre-gl';
import styles from 'maplibre-gl/dist/maplibre-gl.css?url';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { PMTiles, Protocol } from 'pmtiles';
import { mapStyle, type Streets } from './map-style.ts';
import { type Box, normalizeBox } from './mercator.ts';

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
  texts: { map: string; zoomIn: string; zoomOut: string; wheel: string; wheelMac: string; touch: string };
};

const settleMs = 200;
const largeCluster = 100;
/** Without streets, the map has no details for higher zooms, but clusters of one town lead to its streets. */
const maxZoom = 17;

/** @throws Error if the browser has no graphics driver for it */
export async function startLiveMap(options: Options): Promise<LiveMap> {
  const { container, box, tiles, language, onmove, texts } = options;
  setWorkerUrl(worker);
  // The worker of the map asks this thread for tiles: the policy of its file allows no connections.
  const files = new Protocol();
  addProtocol('pmtiles', files.tile);
  await loadStyles();
  let streets: Streets | null = null;
  const map = new MapLibre({
    container,
    style: mapStyle(container, streets),
    bounds: boundsOf(box),
    maxZoom,
    attributionControl: false,
    renderWorldCopies: true,
    dragRotate: false,
    pitchWithRotate: false,
    cooperativeGestures: true,
    locale: {
      'Map.Title': texts.map,
      'NavigationControl.ZoomIn': texts.zoomIn,
      'NavigationControl.ZoomOut': texts.zoomOut,
      'CooperativeGesturesHandler.WindowsHelpText': texts.wheel,
      'CooperativeGesturesHandler.MacHelpText': texts.wheelMac,
      'CooperativeGesturesHandler.MobileHelpText': texts.touch,
    },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.addControl(new NavigationControl({ showCompass: false }));

  const ready = new Promise<void>((resolve) => map.once('load', () => resolve()));
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isMovedByPage = false;
  map.on('moveend', () => {
    clearTimeout(timer);
    if (isMovedByPage) return;
    timer = setTimeout(() => onmove(toBox(map.getBounds()), Math.floor(map.getZoom() + 1)), settleMs);
  });

  const colours = matchMedia('(prefers-color-scheme: dark)');
  const restyle = () => map.setStyle(mapStyle(container, streets));
  colours.addEventListener('change', restyle);

  let isRemoved = false;
  const addStreets = async (address: string) => {
    const file = new PMTiles(new URL(address, location.href).href);
    files.add(file);
    const { loadStreets } = await import('./streets.ts');
    streets = await loadStreets(file, language);
    await ready;
    if (!isRemoved) restyle();
  };
  // Without the file, the map still shows where events are.
  if (tiles !== null) addStreets(tiles).catch(() => {});

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
      isRemoved = true;
      colours.removeEventListener('change', restyle);
      map.remove();
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

/** The browser adds the styles as a file, as the content security policy requires. */
function loadStyles(): Promise<void> {
  if (document.querySelector(`link[href="${styles}"]`)) return Promise.resolve();
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = styles;
  const loaded = new Promise<void>((resolve) => {
    link.onload = link.onerror = () => resolve();
  });
  document.head.append(link);
  return loaded;
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
