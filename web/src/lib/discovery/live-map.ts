/** The map that can be moved. It is loaded with the map view only, where the browser has WebGL. */
import type { LngLatBounds, Map as MapLibre } from 'maplibre-gl';
import { clearView, isInside, roomOf } from '#lib/map/clear-view.ts';
import { isNamed, localName, type Town } from '#lib/map/local-names.ts';
import { lastTownZoom, townZoom } from '#lib/map/map-scale.ts';
import { type Box, normalizeBox, type Place, scaleBox, toBounds } from '#lib/map/mercator.ts';
import { type MapTexts, openMap } from '#lib/map/open-map.ts';
import { ringsAround } from '#lib/map/rings.ts';
import { type Room, touches } from '#lib/map/rooms.ts';
import { type ClusterMarker, createMarkers } from './map-markers.ts';

export type LiveMap = {
  /** Resolves when the map is drawn, with all that lies on it. */
  ready: Promise<unknown>;
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
  /** Called for an event that the visitor chose. */
  onselect: (eventId: string) => void;
  /** Called for the event that the visitor points at. */
  onpoint: (eventId: string | null) => void;
  /** Called with the zoom, of a world of 256 pixels, at the start and after each change. */
  onscale: (zoom: number) => void;
  /** Called for a cluster whose events are too near each other for the map. */
  onopen: (box: Box, zoom: number) => void;
  /** The markers at a zoom of a world of 256 pixels. */
  markersAt: (zoom: number) => ClusterMarker[];
  /** The name of the town whose events are shown; may be empty. */
  home: () => string;
  /** Called with `home` or else the largest town in sight; empty for a map of more than a region, where the map has that name, and where a marker is in its place. */
  onlook: (town: string) => void;
  texts: MapTexts;
};

const settleMs = 200;
/** A map that is loaded waits no longer for the rest of its drawing. */
const longestMs = 2_000;
/** What the list shows of the box of a single place: a house. */
const spotPart = 0.05;
/** Of the name of the town (EventMap.svelte). */
const roomOfTown = { left: 12, right: 130, top: 12, bottom: 50 };
/** In a wide window, the wheel scrolls the page. On a phone, the map fills the window, and a finger moves the map. */
const wideWindow = '(min-width: 60rem)';

/** @throws Error if the browser has no graphics driver for it */
export async function startLiveMap(options: Options): Promise<LiveMap> {
  const { box, home, markersAt, onmove, onscale, onopen, onlook } = options;
  const isCooperative = matchMedia(wideWindow).matches;
  const { map, ready, makeRoom, showRings, addLocalName, remove } = await openMap({
    ...options,
    local: [home()].filter(Boolean),
    bounds: toBounds(box),
    isCooperative,
    lastZoom: lastTownZoom,
  });
  let isMovedByPage = false;
  /** The zoom of MapLibre is that of a world of 512 pixels. */
  const scaleOf = () => map.getZoom() + 1;
  /** Moves the map without telling a visitor's move. */
  const moveByPage = (move: () => void) => {
    isMovedByPage = true;
    move();
    isMovedByPage = false;
  };
  /** Shows the box, and some more if a pin would be cut by an edge or lie under a text. */
  const showClear = (next: Box) =>
    moveByPage(() => {
      const { frame, things } = roomOn(map);
      const { width, height } = map.getContainer().getBoundingClientRect();
      const padding = { top: 0, left: 0, right: 0, bottom: height - frame.bottom };
      map.fitBounds(toBounds(next), { animate: false, padding });
      const [middleX, middleY] = [width / 2, height / 2];
      const { x, y, out } = clearView(frame, things, (out) => {
        const part = 2 ** -out;
        return markersAt(scaleOf() - out).map(({ lat, lng, eventId }) => {
          const at = map.project([lng, lat]);
          return {
            x: middleX + (at.x - middleX) * part,
            y: middleY + (at.y - middleY) * part,
            isSingle: eventId !== null,
          };
        });
      });
      map.jumpTo({ zoom: map.getZoom() - out });
      map.panBy([-x, -y], { animate: false });
    });
  const tellScale = () => onscale(scaleOf());
  map.on('zoomend', tellScale);
  showClear(box);
  tellScale();
  const zoomOf = () => Math.floor(scaleOf());
  let timer: ReturnType<typeof setTimeout> | undefined;
  map.on('moveend', () => {
    clearTimeout(timer);
    if (isMovedByPage) return;
    timer = setTimeout(() => onmove(toBox(map.getBounds()), zoomOf()), settleMs);
  });

  /** The circles of distance around a town, each with its distance once, which lies under no name and no marker. */
  let shownRings = '';
  const showRingsAround = (centre: Place) => {
    const { frame, things } = roomOn(map);
    const taken = [...things, ...boxesOn(map, '.maplibregl-marker, .cluster span')];
    const rings = ringsAround(centre, options.language, (place) => {
      const { x, y } = map.project(place);
      const room = { left: x - 24, right: x + 24, top: y - 11, bottom: y + 11 };
      const corners: [[number, number], [number, number]] = [
        [room.left, room.top],
        [room.right, room.bottom],
      ];
      return (
        isInside(room, frame) &&
        !taken.some((thing) => touches(room, thing)) &&
        map.queryRenderedFeatures(corners, { layers: ['base-towns'] }).length === 0
      );
    });
    const next = JSON.stringify(rings);
    if (next !== shownRings) showRings(rings);
    shownRings = next;
  };
  let shownTown = '';
  const look = () => {
    addLocalName(home());
    const main = map.getZoom() < townZoom ? null : mainTown(map, home());
    const town = main?.name ?? '';
    if (main && options.tiles === null) showRingsAround(main);
    const isFree = !markersAt(scaleOf()).some(({ lat, lng, eventId }) =>
      touches(roomOf(map.project([lng, lat]), eventId !== null), roomOfTown),
    );
    const looked = isFree && !hasName(map, town) ? town : '';
    onlook(looked);
    // The name of the town takes the room of captions.
    if (looked !== shownTown) requestAnimationFrame(placeCaptions);
    shownTown = looked;
  };
  map.on('idle', look);

  const markers = createMarkers(map, {
    ...options,
    onopen({ box, isSpot }) {
      if (isSpot) onopen(scaleBox(box, spotPart), zoomOf());
      else if (map.getZoom() >= map.getMaxZoom()) onopen(box, zoomOf());
      else {
        map.getCanvas().focus({ preventScroll: true });
        map.fitBounds(toBounds(box));
      }
    },
  });
  const placeCaptions = () => {
    markers.placeCaptions();
    makeRoom();
  };
  map.on('moveend', placeCaptions);
  return {
    ready: ready.then(() => {
      look();
      return Promise.race([map.once('idle'), new Promise((resolve) => setTimeout(resolve, longestMs))]);
    }),
    setMarkers(wanted) {
      if (markers.set(wanted)) placeCaptions();
    },
    show: showClear,
    remove() {
      clearTimeout(timer);
      remove();
    },
  };
}

/** The town of the name if it is in sight, or the largest one; null without one. */
function mainTown(map: MapLibre, home: string): (Place & { name: string }) | null {
  const bounds = map.getBounds();
  const towns = map.querySourceFeatures('base', { sourceLayer: 'towns' }).flatMap((feature) => {
    const town = feature.properties as Town & { population: number };
    if (feature.geometry.type !== 'Point') return [];
    const [lng = 0, lat = 0] = feature.geometry.coordinates;
    return bounds.contains([lng, lat]) ? [{ ...town, lat, lng }] : [];
  });
  const [largest] = towns.toSorted((a, b) => b.population - a.population);
  const main = towns.find((town) => isNamed(town, home)) ?? largest;
  return main ? { lat: main.lat, lng: main.lng, name: localName(main, [home]) } : null;
}

/** What of the map is in sight, and what lies on it, in its pixels. */
function roomOn(map: MapLibre): { frame: Room; things: Room[] } {
  const container = map.getContainer();
  const { width, height } = container.getBoundingClientRect();
  return {
    frame: { left: 0, top: 0, right: width, bottom: height - coveredBySheet(container) },
    things: [...boxesOn(map, '.maplibregl-ctrl-group, .over-map'), roomOfTown],
  };
}

/** The boxes of elements on a map, in its pixels. */
function boxesOn(map: MapLibre, selector: string): Room[] {
  const container = map.getContainer();
  const { left, top } = container.getBoundingClientRect();
  return [...(container.parentElement?.querySelectorAll(selector) ?? [])].map((thing) => {
    const box = thing.getBoundingClientRect();
    return {
      left: box.left - left,
      right: box.right - left,
      top: box.top - top,
      bottom: box.bottom - top,
    };
  });
}

/** In CSS pixels. */
function coveredBySheet(container: HTMLElement): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return rem * (Number.parseFloat(getComputedStyle(container).getPropertyValue('--map-covered')) || 0);
}

/** Whether the map shows a name. */
const hasName = (map: MapLibre, name: string): boolean =>
  map
    .queryRenderedFeatures()
    .some(({ layer, properties }) => layer.type === 'symbol' && isNamed(properties as Town, name));

const toBox = (bounds: LngLatBounds): Box =>
  normalizeBox({
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
  });
