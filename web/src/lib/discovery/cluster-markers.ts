/** What the map of a search shows of its clusters. */
import type { EventCluster } from '@potluck/client';
import { categoryEmoji } from '#lib/discovery/category-name.ts';
import { formatPeriod } from '#lib/language/format.ts';
import { type Drawing, scaleBox } from '#lib/map/mercator.ts';
import { m } from '#lib/messages/index.js';
import type { ClusterMarker } from './map-markers.ts';
import {
  boxOfCluster,
  clusterMargin,
  heightOf,
  leastDegrees,
  mapSize,
  type PinEvent,
  type PinFace,
  textOfCluster,
  textOfPin,
  widthOf,
} from './pins.ts';

/** In degrees: the events of a smaller cluster are at one place, which no zoom takes apart. */
const spotDegrees = 1e-4;

/**
 * @param events those that the page has loaded
 * @param active the event that the visitor points at
 */
export function markersOf(
  clusters: EventCluster[],
  events: PinEvent[],
  active: string | null,
): ClusterMarker[] {
  const inClusters = eventsOfClusters(clusters, events);
  const mainTown = mostOf(events.map(townOf));
  return clusters.map((cluster) => {
    const inside = inClusters.get(cluster) ?? [];
    const single = cluster.eventId ? inside[0] : undefined;
    const box = boxOfCluster(cluster);
    const { place, isRough } = placeOf(cluster, inside, mainTown);
    return {
      ...cluster,
      text: single ? textOfPin(single) : textOfCluster(inside, cluster.count),
      name: nameOf(cluster, single),
      sign: single ? '' : mostOf(inside.map(({ category }) => categoryEmoji(category.slug))),
      // Names of towns say more than the surroundings of one venue among several.
      caption: single?.title ?? (isRough ? '' : place),
      place,
      eventId: cluster.eventId ?? null,
      isActive: active !== null && (cluster.eventId === active || inside.some(({ id }) => id === active)),
      isSpot: Math.max(box.east - box.west, box.north - box.south) < spotDegrees,
      box: scaleBox(box, clusterMargin, leastDegrees),
    };
  });
}

/** The only venue, or a town that is not the main one, or else the surroundings of the venue in the middle. */
function placeOf(
  cluster: EventCluster,
  events: PinEvent[],
  mainTown: string,
): { place: string; isRough: boolean } {
  const venues = events
    .toSorted((a, b) => distance(cluster, a) - distance(cluster, b))
    .map(({ location }) => location.address.split(', ')[0] ?? '');
  const town = mostOf(events.map(townOf));
  const [venue = ''] = venues;
  if (new Set(venues).size < 2) return { place: venue, isRough: false };
  const isElsewhere = town !== '' && town !== mainTown;
  return { place: isElsewhere ? town : m.discovery_around({ place: venue }), isRough: !isElsewhere };
}

/** Of a short address. */
const townOf = ({ location }: PinEvent): string => location.address.split(', ')[1] ?? '';

/** The most frequent of some texts; empty without texts. */
const mostOf = (texts: string[]): string =>
  [...Map.groupBy(texts, (text) => text)].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? '';

export type LetteredPin = PinFace & {
  cluster: ClusterMarker;
  /** In the list of places; empty after the last letter. */
  letter: string;
  x: number;
  y: number;
  width: number;
  height: number;
};

/** In a wide window, the place of the drawing is higher by this at both ends. */
const beyond = 46;
/** No pin is cut by the left or the right edge. */
const edge = 22;

/** The pins in sight of a drawing, the largest first, with letters from A: numbers would look like counts. @param high of the pin of one event */
export const pinsInSight = (markers: ClusterMarker[], drawing: Drawing, high: number): LetteredPin[] =>
  markers
    .map((cluster) => {
      const { text, count } = cluster;
      const height = heightOf(count, high);
      const [x, y] = [drawing.toX(cluster.lng), drawing.toY(cluster.lat)];
      return { cluster, text, count, x, y, height, width: widthOf(text, height) };
    })
    .filter(
      ({ x, y }) => x >= edge && x <= mapSize.width - edge && y >= -beyond && y <= mapSize.height + beyond,
    )
    .toSorted((a, b) => b.cluster.count - a.cluster.count)
    .map((pin, i) => ({ ...pin, letter: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.charAt(i) }));

function nameOf(cluster: EventCluster, single: PinEvent | undefined): string {
  if (single) return `${single.title}, ${formatPeriod(single)}`;
  return cluster.eventId ? m.discovery_map_event() : m.discovery_map_cluster({ count: cluster.count });
}

/** The boxes of clusters may overlap: an event is in the cluster whose middle is nearest. */
function eventsOfClusters(clusters: EventCluster[], events: PinEvent[]): Map<EventCluster, PinEvent[]> {
  const inClusters = new Map<EventCluster, PinEvent[]>(clusters.map((cluster) => [cluster, []]));
  for (const event of new Map(events.map((each) => [each.id, each])).values()) {
    const [nearest] = clusters
      .filter((cluster) => (cluster.eventId ? cluster.eventId === event.id : hasInside(cluster, event)))
      .toSorted((a, b) => distance(a, event) - distance(b, event));
    if (nearest) inClusters.get(nearest)?.push(event);
  }
  return inClusters;
}

function hasInside(cluster: EventCluster, { location: { lat, lng } }: PinEvent): boolean {
  const { west, south, east, north } = boxOfCluster(cluster);
  return lng >= west && lng <= east && lat >= south && lat <= north;
}

const distance = ({ lat, lng }: EventCluster, { location }: PinEvent): number =>
  Math.hypot(lat - location.lat, lng - location.lng);
