/** Clusters that do not touch each other on a map. */
import type { EventCluster } from '@potluck/client';
import { mercatorX, mercatorY, uniteBoxes } from '#lib/discovery/mercator.ts';
import { mergeTouching } from '#lib/discovery/merge-touching.ts';
import { boxOfCluster } from '#lib/discovery/pins.ts';

/** In CSS pixels: the height of a marker, and the width of one with a category and a time or with a number, and a gap. */
const [height, eventWidth, leastWidth, digitWidth, gap] = [44, 88, 28, 8, 6];
const widthOf = ({ eventId, count }: EventCluster): number =>
  eventId ? eventWidth : Math.max(leastWidth + `${count}`.length * digitWidth, height);

/** A larger cluster takes those that touch it. @param clusters the largest first @param zoom of a world of 256 pixels */
export function mergeClusters(clusters: EventCluster[], zoom: number): EventCluster[] {
  const worldSize = 256 * 2 ** zoom;
  const touch = (a: EventCluster, b: EventCluster) =>
    Math.abs(mercatorX(a.lng) - mercatorX(b.lng)) * worldSize < (widthOf(a) + widthOf(b)) / 2 + gap &&
    Math.abs(mercatorY(a.lat) - mercatorY(b.lat)) * worldSize < height + gap;
  return mergeTouching(clusters, touch, merge);
}

function merge(a: EventCluster, b: EventCluster): EventCluster {
  const { west, south, east, north } = uniteBoxes([boxOfCluster(a), boxOfCluster(b)]) ?? boxOfCluster(a);
  return { lat: a.lat, lng: a.lng, count: a.count + b.count, bbox: [west, south, east, north] };
}
