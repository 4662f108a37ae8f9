/** A map that can be moved, with the streets of the operator. Its code is loaded where the browser has WebGL. */
import type { FeatureCollection } from 'geojson';
import {
  addProtocol,
  type GeoJSONSource,
  type LngLatBoundsLike,
  Map as MapLibre,
  NavigationControl,
  setWorkerUrl,
} from 'maplibre-gl';
import mapLibreStyles from 'maplibre-gl/dist/maplibre-gl.css?url';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';
import { PMTiles, Protocol } from 'pmtiles';
import ownStyles from './live-map.css?url';
import { localNameIn } from './local-names.ts';
import { noRoom, takenRoom } from './map-overlays.ts';
import { baseMap, type MapContent, mapStyle } from './map-style.ts';
import type { Place } from './mercator.ts';
import { TileSource } from './tile-source.ts';

export type MapTexts = {
  map: string;
  zoomIn: string;
  zoomOut: string;
  wheel: string;
  wheelMac: string;
  touch: string;
};

type Options = {
  container: HTMLElement;
  bounds: LngLatBoundsLike;
  /** The address of the streets, as PMTiles; null for a map without streets. */
  tiles: string | null;
  language: string;
  /** Names of towns in the addresses beside the map. */
  local?: string[];
  texts: MapTexts;
  /** Whether the wheel and one finger scroll the page, and move the map only with a key or a second finger. */
  isCooperative?: boolean;
  /** Of a map without streets. */
  lastZoom?: number;
};

export type OpenMap = {
  map: MapLibre;
  /** Resolves when the map is drawn. */
  ready: Promise<void>;
  /** Keeps the names of towns off the markers that lie on the map now. */
  makeRoom(): void;
  /** Shows circles of distance (rings.ts). */
  showRings(rings: FeatureCollection): void;
  /** Names a town as the addresses beside the map do. */
  addLocalName(name: string): void;
  /** Whether the file of streets has a place. */
  hasStreetsAt(place: Place): Promise<boolean>;
  remove(): void;
};

/** The last zoom that shows more than the one before. */
const lastStreetZoom = 17;

/** @throws Error if the browser has no graphics driver for it */
export async function openMap(options: Options): Promise<OpenMap> {
  const { container, bounds, tiles, language, texts, isCooperative = true, lastZoom = 13 } = options;
  setWorkerUrl(worker);
  // The worker of the map asks this thread for tiles: the policy of its file allows no connections.
  const files = new Protocol();
  addProtocol('pmtiles', files.tile);
  files.add(new PMTiles(new TileSource(baseMap)));
  await loadStyles();
  const content: MapContent = { streets: null, room: noRoom, rings: noRoom, local: options.local ?? [] };
  const map = new MapLibre({
    container,
    style: mapStyle(container, content),
    bounds,
    maxZoom: tiles === null ? lastZoom : lastStreetZoom,
    attributionControl: false,
    // Names that fade keep the map drawing for longer than its move.
    fadeDuration: 0,
    renderWorldCopies: true,
    dragRotate: false,
    pitchWithRotate: false,
    cooperativeGestures: isCooperative,
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

  const colours = matchMedia('(prefers-color-scheme: dark)');
  const restyle = () => map.setStyle(mapStyle(container, content));
  colours.addEventListener('change', restyle);

  const makeRoom = () => {
    content.room = takenRoom(map);
    map.getSource<GeoJSONSource>('room')?.setData(content.room);
  };
  map.on('moveend', makeRoom);
  void ready.then(makeRoom);

  let isRemoved = false;
  const file = tiles === null ? null : new PMTiles(new TileSource(new URL(tiles, location.href).href));
  const addStreets = async (file: PMTiles) => {
    files.add(file);
    const { loadStreets } = await import('./streets.ts');
    content.streets = await loadStreets(file, language);
    await ready;
    if (!isRemoved) restyle();
  };
  // Without the file, the map still shows coasts and towns.
  if (file) addStreets(file).catch(() => {});

  return {
    map,
    ready,
    makeRoom,
    showRings(rings) {
      content.rings = rings;
      map.getSource<GeoJSONSource>('rings')?.setData(rings);
    },
    addLocalName(name) {
      if (name === '' || content.local.includes(name)) return;
      content.local = [...content.local, name];
      for (const layer of ['base-towns', 'base-towns-around'])
        if (map.getLayer(layer)) map.setLayoutProperty(layer, 'text-field', localNameIn(content.local));
    },
    async hasStreetsAt({ lat, lng }) {
      const header = await file?.getHeader().catch(() => undefined);
      if (!header) return false;
      const { minLat, maxLat, minLon, maxLon } = header;
      return minLat <= lat && lat <= maxLat && minLon <= lng && lng <= maxLon;
    },
    remove() {
      isRemoved = true;
      colours.removeEventListener('change', restyle);
      map.remove();
    },
  };
}

/** The browser adds the styles as files, as the content security policy requires. */
function loadStyles(): Promise<unknown> {
  return Promise.all([mapLibreStyles, ownStyles].map(loadStyle));
}

function loadStyle(href: string): Promise<void> {
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  const loaded = new Promise<void>((resolve) => {
    link.onload = link.onerror = () => resolve();
  });
  document.head.append(link);
  return loaded;
}
