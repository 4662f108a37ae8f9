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

/** @returns a bitmap of documents for each grade, the best first; no document has two grades */
export function searchSegment(segment: Segment, query: IndexQuery, pool: BitmapPool): Bitmap[] {
  pool.reset();
  const matching = pool.takeEmpty();
  if (query.words?.length === 0) return Array.from({ length: gradesOf(query) }, () => matching);
  addTimes(matching, segment, query, pool);
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
  const isGraded = gradesOf(query) > 1;
  const words = query.words.map((word) => bitmapsOf(segment, word, isGraded, pool));
  if (isGraded) return splitByGrade(matching, words, pool);
  for (const { anywhere } of words) intersect(matching, anywhere);
  return [matching];
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

/** One pass over all bitmaps, most of whose elements are 0 from some word on. */
function splitByGrade(matching: Bitmap, words: WordBitmaps[], pool: BitmapPool): Bitmap[] {
  const [whole, title, titleOrAddress, elsewhere] = [pool.take(), pool.take(), pool.take(), pool.take()];
  for (let i = 0; i < matching.length; i++) {
    let all = matching[i] as number;
    for (let n = 0; n < words.length && all !== 0; n++)
      all &= (words[n] as WordBitmaps).anywhere[i] as number;
    let [best, second, third] = [all, all, all];
    for (let n = 0; n < words.length && all !== 0; n++) {
      const word = words[n] as WordBitmaps;
      best &= word.wholeInTitle[i] as number;
      second &= word.inTitle[i] as number;
      third &= word.inTitleOrAddress[i] as number;
    }
    whole[i] = best;
    title[i] = second & ~best;
    titleOrAddress[i] = third & ~second;
    elsewhere[i] = all & ~third;
  }
  return [whole, title, titleOrAddress, elsewhere];
}
