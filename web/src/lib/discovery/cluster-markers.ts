/** What the map of a search shows of its clusters. */
import type { EventCluster } from '@potluck/client';
import { formatNumber, formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { categoryEmoji } from './category-name.ts';
import type { ShownEvent } from './groups.ts';
import type { ClusterMarker } from './map-markers.ts';
import { scaleBox } from './mercator.ts';
import { boxOfCluster, clusterMargin, leastDegrees, textOfPin } from './pins.ts';

const mostSigns = 2;

/**
 * @param events those that the page has loaded
 * @param active the event that the visitor points at
 */
export function markersOf(
  clusters: EventCluster[],
  events: ShownEvent[],
  active: string | null,
): ClusterMarker[] {
  const inClusters = eventsOfClusters(clusters, events);
  return clusters.map((cluster) => {
    const inside = inClusters.get(cluster) ?? [];
    const single = cluster.eventId ? inside[0] : undefined;
    const signs = new Set(inside.map(({ category }) => categoryEmoji(category.slug)));
    return {
      ...cluster,
      text: single ? textOfPin(single) : formatNumber(cluster.count),
      signs: cluster.eventId ? '' : [...signs].slice(0, mostSigns).join(''),
      name: nameOf(cluster, single),
      eventId: cluster.eventId ?? null,
      isActive: active !== null && (cluster.eventId === active || inside.some(({ id }) => id === active)),
      box: scaleBox(boxOfCluster(cluster), clusterMargin, leastDegrees),
    };
  });
}

function nameOf(cluster: EventCluster, single: ShownEvent | undefined): string {
  if (single) return `${single.title}, ${formatPeriod(single)}`;
  return cluster.eventId ? m.discovery_map_event() : m.discovery_map_cluster({ count: cluster.count });
}

/** The boxes of clusters may overlap: an event is in the cluster whose middle is nearest. */
function eventsOfClusters(clusters: EventCluster[], events: ShownEvent[]): Map<EventCluster, ShownEvent[]> {
  const inClusters = new Map<EventCluster, ShownEvent[]>(clusters.map((cluster) => [cluster, []]));
  for (const event of new Map(events.map((each) => [each.id, each])).values()) {
    const [nearest] = clusters
      .filter((cluster) => (cluster.eventId ? cluster.eventId === event.id : hasInside(cluster, event)))
      .toSorted((a, b) => distance(a, event) - distance(b, event));
    if (nearest) inClusters.get(nearest)?.push(event);
  }
  return inClusters;
}

function hasInside(cluster: EventCluster, { location: { lat, lng } }: ShownEvent): boolean {
  const { west, south, east, north } = boxOfCluster(cluster);
  return lng >= west && lng <= east && lat >= south && lat <= north;
}

const distance = ({ lat, lng }: EventCluster, { location }: ShownEvent): number =>
  Math.hypot(lat - location.lat, lng - location.lng);
