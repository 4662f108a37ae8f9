/** The map that can be moved. It is loaded with the map view only, where the browser has WebGL. */
import {
  type GeoJSONSource,
  type LngLatBounds,
  Map as MapLibre,
  Marker,
  NavigationControl,
  type StyleSpecification,
  setWorkerUrl,
} from 'maplibre-gl';
import styles from 'maplibre-gl/dist/maplibre-gl.css?url';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { readLand } from './land.ts';
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
  /** Called when the visitor has moved the map. `zoom` is that of a world of 256 pixels. */
  onmove: (box: Box, zoom: number) => void;
  texts: { map: string; zoomIn: string; zoomOut: string; wheel: string; wheelMac: string; touch: string };
};

const settleMs = 200;
/** From this zoom on, the precise outlines are loaded. */
const preciseZoom = 2.5;
const largeCluster = 100;
/** Natural Earth has no details for higher zooms, but clusters of one town lead to its streets. */
const maxZoom = 17;

/** @throws Error if the browser has no graphics driver for it */
export async function startLiveMap({ container, box, onmove, texts }: Options): Promise<LiveMap> {
  setWorkerUrl(worker);
  await loadStyles();
  const map = new MapLibre({
    container,
    style: styleOf(container),
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
  void ready.then(() => loadLand(map));

  let timer: ReturnType<typeof setTimeout> | undefined;
  let isMovedByPage = false;
  map.on('moveend', () => {
    clearTimeout(timer);
    if (isMovedByPage) return;
    timer = setTimeout(() => onmove(toBox(map.getBounds()), Math.floor(map.getZoom() + 1)), settleMs);
  });

  const colours = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => map.setStyle(styleOf(container), { transformStyle: keepSources });
  colours.addEventListener('change', recolour);

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
      colours.removeEventListener('change', recolour);
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

/** The colours are those of the page. */
function styleOf(container: HTMLElement): StyleSpecification {
  const style = getComputedStyle(container);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    version: 8,
    sources: { land: { type: 'geojson', data: readLand(''), tolerance: 0.2 } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colour('--water') } },
      {
        id: 'land',
        type: 'fill',
        source: 'land',
        filter: ['==', ['get', 'kind'], 'land'],
        paint: { 'fill-color': colour('--land') },
      },
      {
        id: 'borders',
        type: 'line',
        source: 'land',
        filter: ['==', ['get', 'kind'], 'border'],
        paint: { 'line-color': colour('--border'), 'line-width': 1 },
      },
    ],
  };
}

const keepSources = (
  before: StyleSpecification | undefined,
  next: StyleSpecification,
): StyleSpecification => ({ ...next, sources: before?.sources ?? next.sources });

/** Loads the outlines of the world, and the precise ones when the visitor is closer. */
function loadLand(map: MapLibre): void {
  let loaded = '';
  const load = async () => {
    const wanted = map.getZoom() < preciseZoom && loaded === '' ? '110m' : '50m';
    if (loaded === wanted || loaded === '50m') return;
    if (wanted === '50m' && map.getZoom() < preciseZoom) return;
    loaded = wanted;
    const land = await fetchLand(`/map/land-${wanted}.svg`);
    const source = map.getSource<GeoJSONSource>('land');
    // The worker of the map cannot load anything: the policy of its file allows no connections.
    if (land) source?.setData(land);
  };
  map.on('zoomend', load);
  void load();
}

async function fetchLand(file: string): Promise<ReturnType<typeof readLand> | null> {
  try {
    const response = await fetch(file);
    return response.ok ? readLand(await response.text()) : null;
  } catch {
    // Without its outlines, the map still shows where events are.
    return null;
  }
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
