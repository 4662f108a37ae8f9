/** Clusters the events in a box on a map. */
import { setImmediate as turn } from 'node:timers/promises';
import { type BitmapPool, type Box, boxBands, isInBox, RecordSet } from '#record-index';
import type { ListQuery } from '../event-query.ts';
import { ClusterGrid, type EventMap } from '../map/cluster-grid.ts';
import { collapse } from './collapse.ts';
import type { Overlay } from './overlay.ts';
import { searchSegment } from './search-segment.ts';
import { forEachRange, type Segment, type SegmentData } from './segment.ts';

export type MapQuery = ListQuery & { box: Box; zoom: number; order: 'start' };

/** Other work of the thread runs after this many documents, which take about a millisecond. */
const docsPerSlice = 20_000;
/** Reading a document of the result costs as much as testing this many documents of the box. */
const testsPerDoc = 8;

/**
 * All matching events are known before the first slice ends, so later changes of the index have no effect.
 */
export async function clusterEvents(
  segment: Segment,
  overlay: Overlay,
  query: MapQuery,
  pool: BitmapPool,
): Promise<EventMap> {
  const { data } = segment;
  const { box, zoom } = query;
  // The cells of the box are visited below, so it is no filter here.
  const { grades } = searchSegment(segment, { ...query, box: null }, pool);
  const all = { grades, added: overlay.search(query), total: 0 };
  const matches = query.collapse ? collapse(segment, all, 'place') : all;
  const added = matches.added.flat();
  // A copy, because other queries run between the slices.
  const [found] = matches.grades;
  const docs = found?.copy() ?? new RecordSet([]);
  const grid = new ClusterGrid(zoom);
  for (const [i, { lat, lng }] of added.entries()) grid.add(lat, lng, data.size + i);
  const ranges: Range[] = [];
  let candidates = 0;
  forEachRange(data, boxBands(box), (first, stop) => {
    ranges.push({ first, stop });
    candidates += stop - first;
  });
  if (docs.size * testsPerDoc < candidates) addDocs(grid, segment, docs, box);
  else await addRanges(grid, data, docs, box, ranges);
  const clusters = grid.cells().map(({ event, column: _column, row: _row, ...sums }) => ({
    ...sums,
    eventId: sums.count === 1 ? (added[event - data.size]?.id ?? segment.idOf(event)) : null,
  }));
  return { zoom: grid.zoom, clusters };
}

/** Positions of `cellDocs` from `first` to before `stop`. */
type Range = { first: number; stop: number };

/** Adds the few documents of a set that are in the box. */
function addDocs(grid: ClusterGrid, segment: Segment, docs: RecordSet, box: Box): void {
  for (const doc of docs.from(0)) {
    const { lat, lng } = segment.coordinatesOf(doc);
    if (isInBox(box, lat, lng)) grid.add(lat, lng, doc);
  }
}

/** Adds the documents of the ranges that are in the set and in the box. */
async function addRanges(
  grid: ClusterGrid,
  data: SegmentData,
  docs: RecordSet,
  box: Box,
  ranges: Range[],
): Promise<void> {
  let left = docsPerSlice;
  for (const { first, stop } of ranges) {
    for (let begin = first; begin < stop; begin += docsPerSlice) {
      const end = Math.min(begin + docsPerSlice, stop);
      addRange(grid, data, docs, box, { first: begin, stop: end });
      left -= end - begin;
      if (left > 0) continue;
      await turn();
      left = docsPerSlice;
    }
  }
}

function addRange(
  grid: ClusterGrid,
  { cellDocs, coordinates }: SegmentData,
  docs: RecordSet,
  box: Box,
  { first, stop }: Range,
): void {
  for (let i = first; i < stop; i++) {
    const doc = cellDocs[i] as number;
    if (!docs.has(doc)) continue;
    const [lat, lng] = [coordinates[2 * i] as number, coordinates[2 * i + 1] as number];
    if (isInBox(box, lat, lng)) grid.add(lat, lng, doc);
  }
}
