/** Clusters that do not touch each other on a map. */
import type { EventCluster } from '@potluck/client';
import { boxOfCluster } from '#lib/discovery/pins.ts';
import { mercatorX, mercatorY, uniteBoxes } from '#lib/map/mercator.ts';
import { mergeTouching } from '#lib/map/merge-touching.ts';

/**
 * In CSS pixels: a marker and a gap. That of a single event has its day, and that of several may have their category. Bubbles of
 * many events are larger and may overlap others a little: with room that grows, one would take its neighbours in turn.
 */
const [high, wide, singleWidth] = [46, 54, 68];
const roomOf = ({ eventId }: EventCluster) => ({ width: eventId ? singleWidth : wide, height: high });

/** A larger cluster takes those that touch it. @param clusters the largest first @param zoom of a world of 256 pixels */
export function mergeClusters(clusters: EventCluster[], zoom: number): EventCluster[] {
  const worldSize = 256 * 2 ** zoom;
  const touch = (a: EventCluster, b: EventCluster) => {
    const [roomOfA, roomOfB] = [roomOf(a), roomOf(b)];
    return (
      Math.abs(mercatorX(a.lng) - mercatorX(b.lng)) * worldSize < (roomOfA.width + roomOfB.width) / 2 &&
      Math.abs(mercatorY(a.lat) - mercatorY(b.lat)) * worldSize < (roomOfA.height + roomOfB.height) / 2
    );
  };
  return mergeTouching(clusters, touch, merge);
}

function merge(a: EventCluster, b: EventCluster): EventCluster {
  const { west, south, east, north } = uniteBoxes([boxOfCluster(a), boxOfCluster(b)]) ?? boxOfCluster(a);
  return { lat: a.lat, lng: a.lng, count: a.count + b.count, bbox: [west, south, east, north] };
}
