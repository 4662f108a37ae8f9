/** The clusters of the page of a map. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { EventCluster } from '@potluck/client';
import { mergeClusters } from '../../web/src/lib/discovery/merge-clusters.ts';
import { middleOf } from '../../web/src/lib/discovery/middle.ts';

const cluster = (count: number, lng: number): EventCluster => ({
  lat: 57.7,
  lng,
  count,
  bbox: [lng - 0.01, 57.69, lng + 0.01, 57.71],
});

test('map: a larger cluster takes those that touch it, and no event is lost', () => {
  // At zoom 10, 50 pixels are 0.07 degrees.
  const merged = mergeClusters([cluster(65, 11.97), cluster(60, 11.92), cluster(1, 11.85)], 10);
  assert.deepEqual(
    merged.map(({ count, lng, bbox }) => [count, lng, bbox[0], bbox[2]]),
    [
      [125, 11.97, 11.91, 11.98],
      [1, 11.85, 11.84, 11.86],
    ],
  );
  assert.equal(mergeClusters([cluster(65, 11.97), cluster(60, 11.92)], 12).length, 2);
});

test('map: the middle of the events leaves out those far away', () => {
  const clusters = [cluster(4, 11.9), cluster(5, 12), cluster(4, 12.1), cluster(6, 18), cluster(1, -70)];
  assert.deepEqual(
    middleOf(clusters, 10)
      .map(({ lng }) => lng)
      .sort(),
    [11.9, 12, 12.1],
  );
});
