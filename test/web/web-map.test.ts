/** The clusters of the page of a map. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { EventCluster } from '@potluck/client';
import { mergeClusters } from '../../web/src/lib/discovery/merge-clusters.ts';
import { middleOf } from '../../web/src/lib/discovery/middle.ts';
import { textOfPin } from '../../web/src/lib/discovery/pins.ts';

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

test('a pin says the weekday in the next six days, and then the date', () => {
  const pinIn = (days: number) => {
    const startAt = new Date(Date.now() + days * 24 * 3_600_000).toISOString();
    return textOfPin({
      ...{ id: '', title: '', startAt, endAt: startAt, timezone: 'UTC', allDay: false },
      category: { slug: 'food', name: 'Food & drink' },
      location: { address: '', lat: 0, lng: 0, isExact: true },
    } as Parameters<typeof textOfPin>[0]);
  };
  for (const days of [1, 6]) assert.match(pinIn(days), /^\S+ \p{L}{3}$/u);
  for (const days of [7, 40]) assert.match(pinIn(days), /^\S+ \d+ \p{L}+( \d{4})?$/u);
});
