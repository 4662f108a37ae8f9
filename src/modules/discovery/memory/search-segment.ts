/**
 * Finds the documents of a segment that match a query. A rare word drives the search; without one, each filter is a
 * bitmap, and the result is their intersection.
 */
import {
  type Bitmap,
  clearBit,
  intersect,
  RankedBitmap,
  setBit,
  setRange,
  subtract,
} from '../../../lib/bitmap.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import { addBox } from './box-filter.ts';
import { addCircle } from './circle-filter.ts';
import { type DocSet, SortedDocs } from './doc-set.ts';
import { gradesOf, type IndexQuery } from './index-query.ts';
import { findRareWord, searchRareWord } from './rare-word-search.ts';
import { bitmapsOf, fieldsOfGrades, findSearchedWord, type SearchedWord } from './searched-words.ts';
import type { Segment, WordBitmaps } from './segment.ts';

/** The documents that match a query, until the next search. */
export type Found = {
  total: number;
  /** Gives the documents of a grade, 0 for the best. No document has two grades. */
  ofGrade(grade: number): DocSet;
};

const nothing: Found = { total: 0, ofGrade: () => new SortedDocs([]) };

export function searchSegment(segment: Segment, query: IndexQuery, pool: BitmapPool): Found {
  if (query.words?.length === 0) return nothing;
  pool.reset();
  const words = query.words?.map((word) => findSearchedWord(segment.data, word)) ?? [];
  const rare = words.length > 0 ? findRareWord(segment, words) : null;
  return rare
    ? toFound(searchRareWord(segment, query, words, rare, pool), gradesOf(query) > 1)
    : searchByBitmaps(segment, query, words, pool);
}

function toFound(grades: number[][], isGraded: boolean): Found {
  const all = grades.flat();
  const sorted = isGraded ? null : new SortedDocs(all.sort((a, b) => a - b));
  return { total: all.length, ofGrade: (grade) => sorted ?? new SortedDocs(grades[grade] ?? []) };
}

function searchByBitmaps(
  segment: Segment,
  query: IndexQuery,
  words: SearchedWord[],
  pool: BitmapPool,
): Found {
  const all = pool.takeEmpty();
  addTimes(all, segment, query, pool);
  if (query.category !== null) {
    const ofCategory = segment.ofCategory(query.category);
    if (ofCategory) intersect(all, ofCategory);
    else all.fill(0);
  }
  if (query.isFree) intersect(all, segment.data.free);
  if (query.box) {
    const inBox = pool.takeEmpty();
    addBox(inBox, segment.data, query.box);
    intersect(all, inBox);
  }
  for (const organizer of query.hiddenOrganizers) {
    for (const doc of segment.docsOfOrganizer(organizer)) clearBit(all, doc);
  }
  if (segment.removedCount > 0) subtract(all, segment.removed);
  const bitmaps = bitmapsOf(segment.data, words, pool);
  for (const { anywhere } of bitmaps) intersect(all, anywhere);
  const ranked = new RankedBitmap(all);
  const isGraded = gradesOf(query) > 1;
  return {
    total: ranked.size,
    ofGrade: (grade) => (isGraded ? new RankedBitmap(documentsOfGrade(all, bitmaps, grade, pool)) : ranked),
  };
}

/** Adds the documents that match the dates and the circle. */
function addTimes(
  bits: Bitmap,
  segment: Segment,
  { from, since, until, circle }: IndexQuery,
  pool: BitmapPool,
): void {
  const end = until === null ? segment.data.size : segment.startingAfter(until);
  const first = Math.min(segment.startingAt(since), end);
  // An event that starts after `from` ends after it, too. Of the others, those match that end after `from`.
  const begun = from === null ? first : Math.max(Math.min(segment.startingAfter(from), end), first);
  const addRunning = (to: Bitmap) => {
    if (from === null) return;
    segment.forEachEndingAfter(from, begun, (doc) => doc >= first && setBit(to, doc));
  };
  if (!circle) {
    setRange(bits, begun, end);
    addRunning(bits);
    return;
  }
  const running = pool.takeEmpty();
  addRunning(running);
  addCircle(bits, segment.data, circle, { begun, end, running });
}

/** The documents of a grade: those that have all words in its fields, without those of the better grades. */
function documentsOfGrade(all: Bitmap, words: WordBitmaps[], grade: number, pool: BitmapPool): Bitmap {
  const fields = fieldsOfGrades[grade] ?? 'anywhere';
  const better = grade === 0 ? null : (fieldsOfGrades[grade - 1] ?? null);
  const bits = pool.take();
  bits.set(all);
  for (const word of words) if (fields !== 'anywhere') intersect(bits, word[fields]);
  if (better === null) return bits;
  const best = pool.take();
  best.set(all);
  for (const word of words) intersect(best, word[better]);
  subtract(bits, best);
  return bits;
}
