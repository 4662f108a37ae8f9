/** Where most events are. */
import type { EventCluster } from '@potluck/client';
import { mercatorX, mercatorY } from '#lib/discovery/mercator.ts';

export const sum = (clusters: EventCluster[]): number =>
  clusters.reduce((total, { count }) => total + count, 0);

/** The clusters nearest to the middle of all events, until they have so many. */
export function middleOf(clusters: EventCluster[], wanted: number): EventCluster[] {
  const median = (of: (cluster: EventCluster) => number): number => {
    const sorted = clusters.toSorted((a, b) => of(a) - of(b));
    const last = firstWith(sum(clusters) / 2, sorted).at(-1);
    return last ? of(last) : 0;
  };
  const [x, y] = [median(xOf), median(yOf)];
  const distance = (cluster: EventCluster) => Math.hypot(xOf(cluster) - x, yOf(cluster) - y);
  return firstWith(
    wanted,
    clusters.toSorted((a, b) => distance(a) - distance(b)),
  );
}

const xOf = ({ lng }: EventCluster): number => mercatorX(lng);
const yOf = ({ lat }: EventCluster): number => mercatorY(lat);

function firstWith(wanted: number, clusters: EventCluster[]): EventCluster[] {
  let before = 0;
  return clusters.filter(({ count }) => {
    const isWanted = before < wanted;
    before += count;
    return isWanted;
  });
}
