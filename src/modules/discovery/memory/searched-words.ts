/** The postings of searched words: each word stands for itself and for all words that start with it. */
import { intersect } from '../../../lib/bitmap.ts';
import { findWord, prefixRange } from '../../../lib/dictionary.ts';
import type { ListQuery } from '../event-query.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import {
  createBitmaps,
  inAddress,
  inTitle,
  type SegmentData,
  unitePostings,
  type WordBitmaps,
  wholeInTitle,
} from './segment.ts';

/** The words of a segment from `first` to before `end` start with the searched one. */
export type SearchedWord = {
  text: string;
  first: number;
  end: number;
  /** The position of the word itself; −1 if it is not a word of the segment. */
  whole: number;
  /** The number of postings: an upper bound for that of documents. */
  postingCount: number;
};

export function findSearchedWord({ words, postingOffsets }: SegmentData, text: string): SearchedWord {
  const bytes = Buffer.from(text);
  const { first, end } = prefixRange(words, bytes);
  return {
    text,
    first,
    end,
    whole: findWord(words, { first, end }, bytes),
    postingCount: (postingOffsets[end] as number) - (postingOffsets[first] as number),
  };
}

/**
 * Bitmaps whose intersection has the documents with all words. Frequent words have theirs in the segment; all others
 * share one set of the pool, so that a query with many words takes no more memory than one with two.
 */
export function bitmapsOf(data: SegmentData, words: SearchedWord[], pool: BitmapPool): WordBitmaps[] {
  const found: WordBitmaps[] = [];
  let shared: WordBitmaps | undefined;
  let scratch: WordBitmaps | undefined;
  for (const word of words) {
    const known = data.frequent.get(word.text);
    if (known) {
      found.push(known);
    } else if (!shared) {
      shared = createBitmaps(() => pool.takeEmpty());
      unitePostings(data, word, word.whole, shared);
    } else {
      scratch ??= createBitmaps(() => pool.take());
      for (const bits of Object.values(scratch)) bits.fill(0);
      unitePostings(data, word, word.whole, scratch);
      for (const fields of fieldsOfGrades) intersect(shared[fields], scratch[fields]);
    }
  }
  return shared ? [...found, shared] : found;
}

/**
 * The bitmaps that all words of a grade have, the best grade first: all words are whole words of the title; all start a word
 * of the title; all start a word of title or address; all start a word anywhere. Each contains those before it.
 */
export const fieldsOfGrades = ['wholeInTitle', 'inTitle', 'inTitleOrAddress', 'anywhere'] as const;
export const gradeCount = fieldsOfGrades.length;
/** The position in `fieldsOfGrades` of the grade of a word in some fields. */
export const gradeOf = (fields: number): number =>
  fields & wholeInTitle ? 0 : fields & inTitle ? 1 : fields & inAddress ? 2 : 3;
/** Whether matches are ordered by grade. */
export const isGraded = ({ search, order }: ListQuery): boolean => search !== null && order === 'relevance';
