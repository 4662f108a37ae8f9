/** Finds the documents of a segment that match a query. Each filter is a bitmap, and the result is their intersection. */
import {
  type Bitmap,
  bitmapLength,
  clearBit,
  intersect,
  setBit,
  setRange,
  subtract,
} from '../../../lib/bitmap.ts';
import { addCircle } from './circle-filter.ts';
import { findWord, prefixRange } from './dictionary.ts';
import { gradesOf, type IndexQuery } from './index-query.ts';
import { type Segment, unitePostings, type WordBitmaps } from './segment.ts';

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

  /** A bitmap with any content, until the next `reset`. */
  take(): Bitmap {
    const known = this.#bitmaps[this.#used++];
    if (known) return known;
    const created = new Uint32Array(this.#length);
    this.#bitmaps.push(created);
    return created;
  }

  takeEmpty(): Bitmap {
    return this.take().fill(0);
  }

  reset(): void {
    this.#used = 0;
  }
}

/** The documents that match a query. */
export type Found = {
  all: Bitmap;
  /** Computes the documents of a grade, 0 for the best, when a page needs them. No document has two grades. */
  ofGrade(grade: number): Bitmap;
};

export function searchSegment(segment: Segment, query: IndexQuery, pool: BitmapPool): Found {
  pool.reset();
  const all = pool.takeEmpty();
  const found: Found = { all, ofGrade: () => all };
  if (query.words?.length === 0) return found;
  addTimes(all, segment, query, pool);
  if (query.category !== null) {
    const ofCategory = segment.ofCategory(query.category);
    if (ofCategory) intersect(all, ofCategory);
    else all.fill(0);
  }
  for (const organizer of query.hiddenOrganizers) {
    for (const doc of segment.docsOfOrganizer(organizer)) clearBit(all, doc);
  }
  if (segment.removedCount > 0) subtract(all, segment.removed);
  if (query.words === null) return found;
  const isGraded = gradesOf(query) > 1;
  const words = query.words.map((word) => bitmapsOf(segment, word, isGraded, pool));
  for (const { anywhere } of words) intersect(all, anywhere);
  return isGraded ? { all, ofGrade: (grade) => documentsOfGrade(all, words, grade, pool) } : found;
}

/** Adds the documents that match the dates and the circle. */
function addTimes(
  bits: Bitmap,
  segment: Segment,
  { from, until, circle }: IndexQuery,
  pool: BitmapPool,
): void {
  const end = until === null ? segment.data.size : segment.startingAfter(until);
  // An event that starts after `from` ends after it, too. Of the others, those match that end after `from`.
  const begun = from === null ? 0 : Math.min(segment.startingAfter(from), end);
  if (!circle) {
    setRange(bits, begun, end);
    if (from !== null) segment.forEachEndingAfter(from, begun, (doc) => setBit(bits, doc));
    return;
  }
  const running = pool.takeEmpty();
  if (from !== null) segment.forEachEndingAfter(from, begun, (doc) => setBit(running, doc));
  addCircle(bits, segment.data, circle, { begun, end, running });
}

/** The documents with a word or, by its start, with a longer one. */
function bitmapsOf(segment: Segment, word: string, isGraded: boolean, pool: BitmapPool): WordBitmaps {
  const { data } = segment;
  const known = data.frequent.get(word);
  if (known) return known;
  const bytes = Buffer.from(word);
  const range = prefixRange(data.words, bytes);
  const anywhere = pool.takeEmpty();
  if (!isGraded) {
    const stop = data.postingOffsets[range.end] as number;
    for (let i = data.postingOffsets[range.first] as number; i < stop; i++)
      setBit(anywhere, data.postingDocs[i] as number);
    return { anywhere, inTitleOrAddress: anywhere, inTitle: anywhere, wholeInTitle: anywhere };
  }
  const bitmaps = {
    anywhere,
    inTitleOrAddress: pool.takeEmpty(),
    inTitle: pool.takeEmpty(),
    wholeInTitle: pool.takeEmpty(),
  };
  unitePostings(data, range, findWord(data.words, range, bytes), bitmaps);
  return bitmaps;
}

/** The bitmaps that all words of a grade have, the best grade first. Each contains those before it. */
const fieldsOfGrades = ['wholeInTitle', 'inTitle', 'inTitleOrAddress', 'anywhere'] as const;

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
