/** The markers of the map that can be moved: single events, and clusters. */
import { type Map as MapLibre, Marker } from 'maplibre-gl';
import type { Box } from './mercator.ts';

export type ClusterMarker = {
  lat: number;
  lng: number;
  count: number;
  /** What the marker shows: a count, or of a single event its category and day. */
  text: string;
  name: string;
  /** Of a single event. */
  eventId: string | null;
  /** The box that the cluster leads to. */
  box: Box;
};

type Handlers = {
  onselect: (eventId: string) => void;
  onpoint: (eventId: string | null) => void;
  onzoom: (box: Box) => void;
};

export function createMarkers(map: MapLibre, handlers: Handlers) {
  const markers = new Map<string, Marker>();
  const elements = new Map<string, HTMLElement>();
  const remove = (key: string, marker: Marker) => {
    marker.remove();
    markers.delete(key);
  };
  return {
    set(wanted: ClusterMarker[]): void {
      const byKey = new Map(
        wanted.map((each) => [`${each.lat} ${each.lng} ${each.text} ${each.name}`, each]),
      );
      for (const [key, marker] of markers) if (!byKey.has(key)) remove(key, marker);
      for (const [key, each] of byKey) {
        if (markers.has(key)) continue;
        const element = createElement(each, handlers);
        if (each.eventId) elements.set(each.eventId, element);
        markers.set(key, new Marker({ element }).setLngLat([each.lng, each.lat]).addTo(map));
        // MapLibre gives every marker the same name.
        element.setAttribute('aria-label', each.name);
      }
    },
    setActive(eventId: string | null): void {
      for (const [id, element] of elements) element.classList.toggle('active', id === eventId);
    },
  };
}

function createElement(marker: ClusterMarker, handlers: Handlers): HTMLElement {
  const { text, count, eventId, box } = marker;
  const element = document.createElement(eventId ? 'a' : 'button');
  element.className = 'cluster';
  element.classList.toggle('single', eventId !== null);
  element.textContent = text;
  // Large clusters are above small ones.
  element.style.zIndex = `${Math.min(count, 10_000)}`;
  if (element instanceof HTMLAnchorElement) element.href = `/e/${eventId}`;
  else element.setAttribute('type', 'button');
  element.addEventListener('click', (event) => {
    if (!(event instanceof MouseEvent) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (eventId) handlers.onselect(eventId);
    else handlers.onzoom(box);
  });
  for (const name of ['pointerenter', 'focus'])
    element.addEventListener(name, () => handlers.onpoint(eventId));
  for (const name of ['pointerleave', 'blur']) element.addEventListener(name, () => handlers.onpoint(null));
  return element;
}
