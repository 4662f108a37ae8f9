/** The markers of the map that can be moved: single events, and clusters. */
import { type Map as MapLibre, Marker } from 'maplibre-gl';
import { formatNumber } from '#lib/language/format.ts';
import { type Steps, valueAt } from '#lib/map/map-scale.ts';
import type { Box } from '#lib/map/mercator.ts';
import { touches } from '#lib/map/rooms.ts';
import { heightOf, type PinFace } from './pins.ts';

export type ClusterMarker = PinFace & {
  lat: number;
  lng: number;
  /** The category that most events of a cluster have; empty if none is known, and of a single event. */
  sign: string;
  /** The title of a single event, or where those of a cluster are; empty if they are not known. */
  caption: string;
  name: string;
  /** Where its events are, by a venue or a town; empty if its events are not known. */
  place: string;
  /** Of a single event. */
  eventId: string | null;
  /** Whether the visitor points at an event that it shows. */
  isActive: boolean;
  /** Whether all its events are at one place. */
  isSpot: boolean;
  /** The box that the cluster leads to. */
  box: Box;
};

/** The size of a cluster with the sign of a category, in CSS pixels, and what it grows by its number. */
const leastSign = 46;
const signGrowth: Steps = [0, [10, 3], [20, 6]];

type Handlers = {
  onselect: (eventId: string) => void;
  onpoint: (eventId: string | null) => void;
  onopen: (cluster: ClusterMarker) => void;
};

type Shown = { marker: Marker; element: HTMLElement; cluster: ClusterMarker };

export function createMarkers(map: MapLibre, handlers: Handlers) {
  const all = new Map<string, Shown>();
  /** The focus moves to no marker that is out of sight. */
  const followView = () => {
    const bounds = map.getBounds();
    for (const { marker, element } of all.values())
      element.tabIndex = bounds.contains(marker.getLngLat()) ? 0 : -1;
  };
  map.on('moveend', followView);
  return {
    /** Shows captions at the side of their markers where there is room. */
    placeCaptions(): void {
      const container = map.getContainer();
      const frame = container.getBoundingClientRect();
      const over = container.parentElement?.querySelectorAll('.maplibregl-ctrl-group, .over-map') ?? [];
      const taken = [...all.values()].map(({ element }) => element).concat([...over] as HTMLElement[]);
      const rooms = taken.map((each) => ({ each, room: each.getBoundingClientRect() }));
      for (const { element } of all.values()) {
        const [caption] = element.getElementsByTagName('span');
        if (!caption) continue;
        const isFree = (side: string): boolean => {
          element.dataset.caption = side;
          const room = caption.getBoundingClientRect();
          return (
            room.left >= frame.left &&
            room.right <= frame.right &&
            !rooms.some(({ each, room: other }) => each !== element && touches(room, other))
          );
        };
        if (['right', 'left', 'bottom', 'top'].some(isFree))
          rooms.push({ each: caption, room: caption.getBoundingClientRect() });
        else delete element.dataset.caption;
      }
    },
    /** @returns whether markers came, or went */
    set(wanted: ClusterMarker[]): boolean {
      const byKey = new Map(wanted.map((each) => [`${each.lat} ${each.lng} ${each.eventId}`, each]));
      const gone = [...all.keys()].filter((key) => !byKey.has(key));
      const added = [...byKey.keys()].filter((key) => !all.has(key));
      for (const key of gone) {
        all.get(key)?.marker.remove();
        all.delete(key);
      }
      for (const [key, cluster] of byKey) {
        const shown = all.get(key) ?? add(map, cluster, handlers);
        shown.cluster = cluster;
        fill(shown);
        all.set(key, shown);
      }
      followView();
      return gone.length + added.length > 0;
    },
  };
}

function add(map: MapLibre, cluster: ClusterMarker, handlers: Handlers): Shown {
  const element = document.createElement(cluster.eventId ? 'a' : 'button');
  const marker = new Marker({ element }).setLngLat([cluster.lng, cluster.lat]).addTo(map);
  const shown = { marker, element, cluster };
  element.classList.add('cluster');
  if (element instanceof HTMLAnchorElement) element.href = `/e/${cluster.eventId}`;
  else element.setAttribute('type', 'button');
  element.addEventListener('click', (event) => {
    if (!(event instanceof MouseEvent) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (shown.cluster.eventId) handlers.onselect(shown.cluster.eventId);
    else handlers.onopen(shown.cluster);
  });
  for (const name of ['pointerenter', 'focus'])
    element.addEventListener(name, () => handlers.onpoint(shown.cluster.eventId));
  for (const name of ['pointerleave', 'blur']) element.addEventListener(name, () => handlers.onpoint(null));
  return shown;
}

function fill({ element, cluster: { text, sign, caption, count, name, isActive } }: Shown): void {
  const face = sign ? [sign, formatNumber(count)] : [text];
  if (element.textContent !== face.join('') + caption) {
    const beside = document.createElement('span');
    beside.textContent = caption;
    beside.dir = 'auto';
    const lines = face.map((line) => Object.assign(document.createElement('b'), { textContent: line }));
    element.replaceChildren(...lines, ...(caption ? [beside] : []));
  }
  element.classList.toggle('signed', sign !== '');
  element.classList.toggle('several', count > 1);
  // Those with a sign stay as small as their room, and touch no neighbours.
  element.style.setProperty(
    '--size',
    `${sign ? leastSign + valueAt(signGrowth, count) : heightOf(count, 44)}px`,
  );
  element.classList.toggle('active', isActive);
  // Large clusters are above small ones.
  element.style.zIndex = `${Math.min(count, 10_000)}`;
  // MapLibre gives every marker the same name.
  element.setAttribute('aria-label', name);
}
