/** Finds the documents of a segment that match a query. Each filter is a bitmap, and the result is their intersection. */
import {
  type Bitmap,
  bitmapLength,
  clearBit,
  intersect,
  setBit,
  setRange,
  subtract,
  unite,
} from '../../../lib/bitmap.ts';
import { type Circle, circleBands } from '../../../lib/grid-cells.ts';
import { chordSquared, toPoint } from '../../../lib/sphere.ts';
import { isWord, prefixRange } from './dictionary.ts';
import type { IndexQuery } from './index-query.ts';
import { gradesOf } from './index-query.ts';
import { inAddress, inTitle, type Segment } from './segment.ts';

/**
 * Bitmaps for one query at a time: a query computes its page before it returns, so the next one can use the same memory.
 */
export class BitmapPool {
  readonly #length: number;
  readonly #bitmaps: Bitmap[] = [];
  #used = 0;

  constructor(size: number) {
    this.#length = bitmapLength(size);
  }

  /** An empty bitmap, until the next `reset`. */
  take(): Bitmap {
    const known = this.#bitmaps[this.#used++];
    if (known) return known.fill(0);
    const created = new Uint32Array(this.#length);
    this.#bitmaps.push(created);
    return created;
  }

  reset(): void {
    this.#used = 0;
  }
}

/** @returns a bitmap of documents for each grade, the best first; no document has two grades */
export function searchSegment(segment: Segment, query: IndexQuery, pool: BitmapPool): Bitmap[] {
  pool.reset();
  const matching = pool.take();
  const times = timesOf(segment, query);
  if (query.circle) addCircle(matching, segment, query.circle, times);
  else addTimes(matching, segment, times);
  if (query.category !== null) {
    const ofCategory = segment.ofCategory(query.category);
    if (ofCategory) intersect(matching, ofCategory);
    else matching.fill(0);
  }
  for (const organizer of query.hiddenOrganizers) {
    for (const doc of segment.docsOfOrganizer(organizer)) clearBit(matching, doc);
  }
  if (segment.removedCount > 0) subtract(matching, segment.removed);
  if (query.words === null) return [matching];
  const grades = gradesOf(query);
  const matches = query.words.map((word) => matchesOf(segment, word, grades > 1, pool));
  for (const { anywhere } of matches) intersect(matching, anywhere);
  if (matches.length === 0) matching.fill(0);
  return grades === 1 ? [matching] : splitByGrade(matching, matches, pool);
}

/** Documents from `begun` to before `end` match the dates, and those before `begun` that end after `from`. */
type Times = { begun: number; end: number; from: number };

function timesOf(segment: Segment, { from, until }: IndexQuery): Times {
  const end = until === null ? segment.data.size : segment.startingAfter(until);
  if (from === null) return { begun: 0, end, from: Number.NEGATIVE_INFINITY };
  // An event that starts after `from` ends after it, too.
  return { begun: Math.min(segment.startingAfter(from), end), end, from };
}

function addTimes(bits: Bitmap, segment: Segment, { begun, end, from }: Times): void {
  setRange(bits, begun, end);
  segment.forEachEndingAfter(from, begun, (doc) => setBit(bits, doc));
}

/** Adds the documents in a circle that match the dates. */
function addCircle(bits: Bitmap, segment: Segment, circle: Circle, { begun, end, from }: Times): void {
  const { cells, cellOffsets, cellDocs, points, ends } = segment.data;
  const [x, y, z] = toPoint(circle);
  const reach = chordSquared(circle.radius);
  for (const { first, last, isInner } of circleBands(circle)) {
    const place = segment.firstCell(first);
    // The cells of a band are adjacent in the column, and so are their documents.
    if (place === cells.length || (cells[place] as number) > last) continue;
    const stop = cellOffsets[segment.firstCell(last + 1)] as number;
    for (let i = cellOffsets[place] as number; i < stop; i++) {
      const doc = cellDocs[i] as number;
      if (doc >= end || (doc < begun && (ends[doc] as number) <= from)) continue;
      if (!isInner) {
        const dx = (points[3 * i] as number) - x;
        const dy = (points[3 * i + 1] as number) - y;
        const dz = (points[3 * i + 2] as number) - z;
        if (dx * dx + dy * dy + dz * dz > reach) continue;
      }
      bits[doc >>> 5] = (bits[doc >>> 5] as number) | (1 << (doc & 31));
    }
  }
}

/** The documents that have a word or a word that starts with it; null where only `anywhere` is needed. */
type Matches = {
  anywhere: Bitmap;
  inTitleOrAddress: Bitmap;
  inTitle: Bitmap;
  wholeInTitle: Bitmap;
};

function matchesOf(segment: Segment, word: string, isGraded: boolean, pool: BitmapPool): Matches {
  const { words, prefixes, postingOffsets, postingDocs, postingFields } = segment.data;
  const bytes = Buffer.from(word);
  const { first, end } = prefixRange(words, bytes);
  const wholeInTitle = isGraded ? pool.take() : empty;
  if (isGraded && first < end && isWord(words, first, bytes)) {
    for (let i = postingOffsets[first] as number; i < (postingOffsets[first + 1] as number); i++) {
      if ((postingFields[i] as number) & inTitle) setBit(wholeInTitle, postingDocs[i] as number);
    }
  }
  const known = prefixes.get(word);
  if (known) return { ...known, wholeInTitle };
  const anywhere = pool.take();
  const [begin, stop] = [postingOffsets[first] as number, postingOffsets[end] as number];
  if (!isGraded) {
    for (let i = begin; i < stop; i++) setBit(anywhere, postingDocs[i] as number);
    return { anywhere, inTitleOrAddress: empty, inTitle: empty, wholeInTitle };
  }
  const [titleOrAddress, title] = [pool.take(), pool.take()];
  for (let i = begin; i < stop; i++) {
    const [doc, fields] = [postingDocs[i] as number, postingFields[i] as number];
    setBit(anywhere, doc);
    if (fields & (inTitle | inAddress)) setBit(titleOrAddress, doc);
    if (fields & inTitle) setBit(title, doc);
  }
  return { anywhere, inTitleOrAddress: titleOrAddress, inTitle: title, wholeInTitle };
}

const empty: Bitmap = new Uint32Array(0);

/** Moves the documents of the better grades out of `matching`. */
function splitByGrade(matching: Bitmap, matches: Matches[], pool: BitmapPool): Bitmap[] {
  const better: Bitmap[] = [];
  for (const grade of ['wholeInTitle', 'inTitle', 'inTitleOrAddress'] as const) {
    const ofGrade = pool.take();
    unite(ofGrade, matching);
    for (const match of matches) intersect(ofGrade, match[grade]);
    subtract(matching, ofGrade);
    better.push(ofGrade);
  }
  return [...better, matching];
}
