/** Clusters that do not touch each other on a map. */
import type { EventCluster } from '@potluck/client';
import { mercatorX, mercatorY, uniteBoxes } from '#lib/discovery/mercator.ts';
import { mergeTouching } from '#lib/discovery/merge-touching.ts';
import { boxOfCluster } from '#lib/discovery/pins.ts';

/** In CSS pixels: a marker with its badge, and a gap. A single event has its day, too. */
const room = { width: 54, singleWidth: 68, height: 46 };
const widthOf = ({ eventId }: EventCluster): number => (eventId ? room.singleWidth : room.width);

/** A larger cluster takes those that touch it. @param clusters the largest first @param zoom of a world of 256 pixels */
export function mergeClusters(clusters: EventCluster[], zoom: number): EventCluster[] {
  const worldSize = 256 * 2 ** zoom;
  const touch = (a: EventCluster, b: EventCluster) =>
    Math.abs(mercatorX(a.lng) - mercatorX(b.lng)) * worldSize < (widthOf(a) + widthOf(b)) / 2 &&
    Math.abs(mercatorY(a.lat) - mercatorY(b.lat)) * worldSize < room.height;
  return mergeTouching(clusters, touch, merge);
}

function merge(a: EventCluster, b: EventCluster): EventCluster {
  const { west, south, east, north } = uniteBoxes([boxOfCluster(a), boxOfCluster(b)]) ?? boxOfCluster(a);
  return { lat: a.lat, lng: a.lng, count: a.count + b.count, bbox: [west, south, east, north] };
}
