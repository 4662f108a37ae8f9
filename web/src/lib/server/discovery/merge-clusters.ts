/** Clusters that do not touch each other on a map. */
import type { EventCluster } from '@potluck/client';
import { mercatorX, mercatorY, uniteBoxes } from '#lib/discovery/mercator.ts';
import { mergeTouching } from '#lib/discovery/merge-touching.ts';
import { boxOfCluster } from '#lib/discovery/pins.ts';

/** In CSS pixels: the diameter of a marker, and a gap. */
const markerSize = 50;

/** A larger cluster takes those that touch it. @param clusters the largest first @param zoom of a world of 256 pixels */
export function mergeClusters(clusters: EventCluster[], zoom: number): EventCluster[] {
  const reach = markerSize / (256 * 2 ** zoom);
  const touch = (a: EventCluster, b: EventCluster) =>
    Math.hypot(mercatorX(a.lng) - mercatorX(b.lng), mercatorY(a.lat) - mercatorY(b.lat)) < reach;
  return mergeTouching(clusters, touch, merge);
}

function merge(a: EventCluster, b: EventCluster): EventCluster {
  const { west, south, east, north } = uniteBoxes([boxOfCluster(a), boxOfCluster(b)]) ?? boxOfCluster(a);
  return { lat: a.lat, lng: a.lng, count: a.count + b.count, bbox: [west, south, east, north] };
}
