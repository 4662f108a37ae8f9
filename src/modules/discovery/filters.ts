/**
 * The filters of event lists, without words: as conditions in SQL, as a test in memory, and as bitmaps of a segment. A
 * filter stands in all three functions, except a trait (traits.ts).
 */
import { hourMs } from '#base';
import { join, type Statement, sql } from '#pg';
import {
  type Band,
  type Bitmap,
  type BitmapPool,
  type Box,
  boxBands,
  boxCells,
  type Cap,
  type Circle,
  capOf,
  circleBands,
  circleCells,
  clearBit,
  farthestKm,
  hasBit,
  intersectAll,
  isInBox,
  isPointInCap,
  lowerBound,
  type Range,
  setBit,
} from '#record-index';
import { listedCondition } from '../events/policy.ts';
import type { Days, ListQuery } from './event-query.ts';
import { forEachRange, type Segment, type SegmentData } from './memory/segment.ts';
import { bitsOf, hasTrait } from './traits.ts';

export type Filters = Omit<ListQuery, 'search' | 'order'>;

/** A circle of the whole globe is no filter. */
export const isBounded = (circle: Circle | null): circle is Circle =>
  circle !== null && circle.radius < farthestKm;

/** The condition on `events e`. */
export function conditionOf(filters: Filters): Statement {
  const { from, since, until, days, category, traits, circle, box, hiddenOrganizers } = filters;
  const conditions = [
    listedCondition(),
    from && sql`e.end_at > ${from}`,
    days.from !== null && sql`(e.end_day > ${days.from}) is not false`,
    since && isSinceCondition(since, days),
    until && sql`e.start_at <= ${until}`,
    days.until !== null && sql`(e.first_day <= ${days.until}) is not false`,
    category !== null && sql`e.category = ${category}`,
    ...traits.map(hasTrait),
    isBounded(circle) && isInsideCondition(circle),
    box && isInBoxCondition(box),
    hiddenOrganizers.length > 0 && sql`e.organizer_id <> all(${hiddenOrganizers}::uuid[])`,
  ];
  return join(
    conditions.filter((condition) => condition !== null && condition !== false),
    ' and ',
  );
}

/** An all-day event that begins on a day begins up to 14 hours before the day in UTC. Those of later ends and starts follow it. */
const daysAhead = (since: Date, days: Days): number =>
  since.getTime() - (days.since === null ? 0 : 14 * hourMs);

const isSinceCondition = (since: Date, days: Days): Statement =>
  days.since === null
    ? sql`e.start_at >= ${since}`
    : sql`e.start_at >= ${new Date(daysAhead(since, days))}
        and case when e.first_day is null then e.start_at >= ${since} else e.first_day >= ${days.since} end`;

/** Larger circles and boxes are not looked up by cells: the condition is checked for all events. A radius of 500 km has about 1,100. */
const maxCells = 4_000;
/** The index events_by_cell finds the events of a small circle or box. */
const isInCells = (cells: number[] | null): Statement =>
  cells ? sql`e.cell = any(${cells}::int[]) and` : sql``;

const isInsideCondition = (circle: Circle): Statement => sql`
  ${isInCells(circleCells(circle, maxCells))}
  distance_km(${circle.lat}, ${circle.lng}, e.lat, e.lng) <= ${circle.radius}`;

function isInBoxCondition(box: Box): Statement {
  const { west, south, east, north } = box;
  const isBetween =
    west <= east ? sql`e.lng between ${west} and ${east}` : sql`(e.lng >= ${west} or e.lng <= ${east})`;
  return sql`${isInCells(boxCells(box, maxCells))} e.lat between ${south} and ${north} and ${isBetween}`;
}

/** A listed event in memory. `start` and `end` in ms. */
export type FilteredEvent = {
  start: number;
  end: number;
  /** The days of an all-day event, as in `events`; null for other events. */
  firstDay: number | null;
  endDay: number | null;
  category: string;
  /** The bits of its traits. */
  traits: number;
  isInCap(cap: Cap): boolean;
  isInBox(box: Box): boolean;
  organizerId: string;
};

/** Creates the test. It is one function of all filters, because V8 inlines it. */
export function createTest(filters: Filters) {
  const { category, box, hiddenOrganizers, days } = filters;
  const traits = bitsOf(filters.traits);
  const from = filters.from?.getTime() ?? null;
  const since = filters.since?.getTime() ?? null;
  const until = filters.until?.getTime() ?? null;
  const cap = isBounded(filters.circle) ? capOf(filters.circle) : null;
  const hidden = hiddenOrganizers.length > 0 ? new Set(hiddenOrganizers) : null;
  return (event: FilteredEvent): boolean =>
    (from === null || event.end > from) &&
    (since === null || event.start >= since || (days.since !== null && event.firstDay !== null)) &&
    (until === null || event.start <= until) &&
    (event.firstDay === null || event.endDay === null || isOnDays(event.firstDay, event.endDay, days)) &&
    (category === null || event.category === category) &&
    (event.traits & traits) === traits &&
    (cap === null || event.isInCap(cap)) &&
    (box === null || event.isInBox(box)) &&
    (hidden === null || !hidden.has(event.organizerId));
}

/** Whether an all-day event from a first day to before an end day is within bounds. */
const isOnDays = (firstDay: number, endDay: number, { from, since, until }: Days): boolean =>
  (from === null || endDay > from) &&
  (since === null || firstDay >= since) &&
  (until === null || firstDay <= until);

/** Documents of a segment: `running`, ascending, and those from `first` to before `end`. `whole`: a range that has all of them. */
export type DocRange = Range & { running: number[]; whole: Range };

/** The documents that match the filters by time, with removed ones, and with all-day events of other days. */
export function rangeOf(segment: Segment, { from, since, until, days }: Filters): DocRange {
  const begun = from ? segment.startingAfter(from.getTime()) : 0;
  const low = since ? segment.startingAt(daysAhead(since, days)) : 0;
  const end = until ? segment.startingAfter(until.getTime()) : segment.data.size;
  const all = from ? segment.runningAt(from.getTime(), begun) : [];
  const running = low > 0 || end < begun ? all.filter((doc) => doc >= low && doc < end) : all;
  const first = Math.min(Math.max(low, begun), end);
  return { running, first, end, whole: { first: running[0] ?? first, end } };
}

/** The documents of a range that its instants select, but the days of the query do not. */
function* listOfOtherDays(
  segment: Segment,
  { since, days }: Filters,
  { whole }: DocRange,
): Generator<number> {
  if (days.from === null && days.since === null && days.until === null) return;
  const { allDayDocs, firstDays, endDays } = segment.data;
  const begin = lowerBound(allDayDocs, whole.first);
  const end = lowerBound(allDayDocs, whole.end);
  for (let i = begin; i < end; i++)
    if (!isOnDays(firstDays[i] as number, endDays[i] as number, days)) yield allDayDocs[i] as number;
  if (days.since === null || !since) return;
  const stop = Math.min(segment.startingAt(since.getTime()), whole.end);
  for (let doc = whole.first, i = begin; doc < stop; doc++) {
    if (allDayDocs[i] === doc) i++;
    else yield doc;
  }
}

/**
 * The current documents of a range that match the other filters, as those that are in all of some sets.
 * @param sets those of the words of the query; itself if there are no other filters
 * @returns bitmaps of the segment or of the pool; those of the pool are undefined outside the range
 */
export function listMatching(
  segment: Segment,
  filters: Filters,
  range: DocRange,
  sets: Bitmap[],
  pool: BitmapPool,
): Bitmap[] {
  const { category, traits, circle, box, hiddenOrganizers } = filters;
  const { data, current } = segment;
  let found = sets;
  if (category !== null) found = [segment.ofCategory(category) ?? pool.takeEmpty(), ...found];
  if (traits.length > 0) found = [...traits.map((trait) => segment.withTrait(trait)), ...found];
  const { whole } = range;
  const hidden = hiddenOrganizers.map((organizer) => segment.docsOfOrganizer(organizer));
  const ofOtherDays = [...listOfOtherDays(segment, filters, range)];
  if (hidden.length > 0 || ofOtherDays.length > 0) {
    const shown = pool.take();
    shown.set(current);
    for (const docs of [...hidden, ofOtherDays]) for (const doc of docs) clearBit(shown, doc);
    found = [shown, ...found];
  }
  const within = () => intersectAll(found.length > 0 ? found : [current], whole, pool.take());
  if (isBounded(circle)) found = [inCircle(data, within(), whole, circle, pool)];
  if (box) {
    const { coordinates } = data;
    const isInside = (i: number) =>
      isInBox(box, coordinates[2 * i] as number, coordinates[2 * i + 1] as number);
    found = [inside(data, within(), whole, boxBands(box), isInside, pool)];
  }
  return found;
}

/** The documents of a set that are in a circle. */
function inCircle(data: SegmentData, within: Bitmap, range: Range, circle: Circle, pool: BitmapPool): Bitmap {
  const { points, cellDocs } = data;
  const { lat, lng, radius } = circle;
  const cap = capOf(circle);
  if (radius <= farthestKm / 2)
    return inside(data, within, range, circleBands(circle), (i) => isPointInCap(cap, points, i), pool);
  // More than a hemisphere: without those in the circle around the antipode.
  const bits = pool.take();
  bits.set(within);
  const antipode = { lat: -lat, lng: lng + (lng > 0 ? -180 : 180), radius: farthestKm - radius };
  forEachRange(data, circleBands(antipode), (begin, stop, isInner) => {
    for (let i = begin; i < stop; i++)
      if (isInner || !isPointInCap(cap, points, i)) clearBit(bits, cellDocs[i] as number);
  });
  return bits;
}

/**
 * The documents of a set and a range that are in some cells.
 * @param isInside whether the point at an index of `cellDocs` matches, unless its cell is an inner one
 */
function inside(
  data: SegmentData,
  within: Bitmap,
  range: Range,
  bands: Band[],
  isInside: (i: number) => boolean,
  pool: BitmapPool,
): Bitmap {
  const bits = pool.takeEmpty();
  const { cellDocs } = data;
  forEachRange(data, bands, (begin, stop, isInner) => {
    for (let i = begin; i < stop; i++) {
      const doc = cellDocs[i] as number;
      const isMatch = doc >= range.first && doc < range.end && hasBit(within, doc);
      if (isMatch && (isInner || isInside(i))) setBit(bits, doc);
    }
  });
  return bits;
}
