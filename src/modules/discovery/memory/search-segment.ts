/**
 * Finds the documents of a segment that match a query. A rare word drives the search; without one, each filter is a
 * bitmap, and the result is their intersection.
 */
import { type Bitmap, intersect, RankedBitmap, subtract } from '../../../lib/bitmap.ts';
import type { ListQuery } from '../event-query.ts';
import { listMatching } from '../filters.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import { type DocSet, SortedDocs } from './doc-set.ts';
import { findRareWord, searchRareWord } from './rare-word-search.ts';
import {
  bitmapsOf,
  fieldsOfGrades,
  findSearchedWord,
  isGraded,
  type SearchedWord,
} from './searched-words.ts';
import type { Segment, WordBitmaps } from './segment.ts';

/** The documents that match a query, until the next search. */
export type Found = {
  total: number;
  /** Gives the documents of a grade, 0 for the best. No document has two grades. */
  ofGrade(grade: number): DocSet;
};

const nothing: Found = { total: 0, ofGrade: () => new SortedDocs([]) };

export function searchSegment(segment: Segment, query: ListQuery, pool: BitmapPool): Found {
  if (query.search?.words.length === 0) return nothing;
  pool.reset();
  const words = query.search?.words.map((word) => findSearchedWord(segment.data, word)) ?? [];
  const rare = words.length > 0 ? findRareWord(segment, words) : null;
  return rare
    ? toFound(searchRareWord(segment, query, words, rare, pool), isGraded(query))
    : searchByBitmaps(segment, query, words, pool);
}

function toFound(grades: number[][], hasGrades: boolean): Found {
  const all = grades.flat();
  const sorted = hasGrades ? null : new SortedDocs(all.sort((a, b) => a - b));
  return { total: all.length, ofGrade: (grade) => sorted ?? new SortedDocs(grades[grade] ?? []) };
}

function searchByBitmaps(segment: Segment, query: ListQuery, words: SearchedWord[], pool: BitmapPool): Found {
  const all = listMatching(segment, query, pool);
  const bitmaps = bitmapsOf(segment.data, words, pool);
  for (const { anywhere } of bitmaps) intersect(all, anywhere);
  const ranked = new RankedBitmap(all);
  const hasGrades = isGraded(query);
  return {
    total: ranked.size,
    ofGrade: (grade) => (hasGrades ? new RankedBitmap(documentsOfGrade(all, bitmaps, grade, pool)) : ranked),
  };
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
