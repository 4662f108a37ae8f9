/** What the map of a search shows of its clusters. */
import type { EventCluster } from '@potluck/client';
import { formatNumber, formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import type { ClusterMarker } from './map-markers.ts';
import { scaleBox } from './mercator.ts';
import { boxOfCluster, clusterMargin, leastDegrees, type PinEvent, signOf, textOfPin } from './pins.ts';

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
  return clusters.map((cluster) => {
    const inside = inClusters.get(cluster) ?? [];
    const single = cluster.eventId ? inside[0] : undefined;
    const count = formatNumber(cluster.count);
    const sign = cluster.eventId ? '' : signOf(inside);
    const box = boxOfCluster(cluster);
    return {
      ...cluster,
      text: single ? textOfPin(single) : sign || count,
      badge: sign && count,
      name: nameOf(cluster, single),
      eventId: cluster.eventId ?? null,
      isActive: active !== null && (cluster.eventId === active || inside.some(({ id }) => id === active)),
      isSpot: Math.max(box.east - box.west, box.north - box.south) < spotDegrees,
      box: scaleBox(box, clusterMargin, leastDegrees),
    };
  });
}

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
