/** Leaves out all occurrences of a series but the first one of a list. */
import type { Bitmap, RecordSet } from '#record-index';
import type { OverlayEvent } from './overlay.ts';
import type { Segment } from './segment.ts';
import { SeenSeries, type ShownOnce } from './series-columns.ts';

/** What a query finds in the segment and in the overlay, of each grade, the best first. */
export type Matches = { grades: Iterable<RecordSet>; added: OverlayEvent[][]; total: number };

/** Whether an event of the overlay is an occurrence. */
export const isInSeries = (event: OverlayEvent): event is OverlayEvent & { seriesId: string } =>
  event.seriesId !== null;

/** Visits the documents of series that match, and the events of the overlay. */
export function collapse(segment: Segment, { grades, added, total }: Matches, by: ShownOnce): Matches {
  const { series } = segment.data;
  if (series.ids.length === 0 && !added.some((events) => events.some(isInSeries)))
    return { grades, added, total };
  const seen = new SeenSeries(series, by);
  const sets: RecordSet[] = [];
  const events: OverlayEvent[][] = [];
  for (const docs of grades) {
    const { first, kept } = firstOf(docs, added[sets.length] ?? [], series.docs, seen);
    sets.push(first);
    events.push(kept);
  }
  const count = [...sets.map(({ size }) => size), ...events.map(({ length }) => length)];
  return { grades: sets, added: events, total: count.reduce((sum, n) => sum + n, 0) };
}

/** Those that were not seen before, in the merged order of documents and events. */
function firstOf(
  docs: RecordSet,
  events: OverlayEvent[],
  ofSeries: Bitmap,
  seen: SeenSeries,
): { first: RecordSet; kept: OverlayEvent[] } {
  const kept: OverlayEvent[] = [];
  let next = 0;
  const addEventsUpTo = (position: number) => {
    for (let event = events[next]; event && event.position <= position; event = events[++next])
      if (!isInSeries(event) || seen.add(seen.keyOfEvent(event))) kept.push(event);
  };
  const first = docs.filterIn(ofSeries, (doc) => {
    if (next < events.length) addEventsUpTo(doc);
    return seen.addDoc(doc);
  });
  addEventsUpTo(Number.POSITIVE_INFINITY);
  return { first, kept };
}
