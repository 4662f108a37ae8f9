/** The postings of searched words: each word stands for itself and for all words that start with it. */
import { type Bitmap, clearBit, findWord, lowerBound, prefixRange, type Range } from '#record-index';
import type { Search } from '../../events/search-words.ts';
import type { ListQuery } from '../event-query.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import {
  type Fields,
  fieldsOfGrades,
  inAddress,
  inTitle,
  type Segment,
  type SegmentData,
  unitePostings,
  type WordBitmaps,
  type WordRange,
  wholeInTitle,
} from './segment.ts';

/** The words of a segment that start with the searched one. */
type SearchedWord = WordRange & {
  /** The number of postings: an upper bound for that of documents. */
  postingCount: number;
};

/** `others`: the words without bitmaps, the rarest first. */
type SearchedWords = { frequent: WordBitmaps[]; others: SearchedWord[] };

function findSearchedWords(data: SegmentData, texts: string[]): SearchedWords {
  const frequent: WordBitmaps[] = [];
  const others: SearchedWord[] = [];
  for (const text of texts) {
    const known = data.frequent.get(text);
    if (known) frequent.push(known);
    else others.push(findSearchedWord(data, text));
  }
  return { frequent, others: others.sort((a, b) => a.postingCount - b.postingCount) };
}

function findSearchedWord({ words, postingOffsets }: SegmentData, text: string): SearchedWord {
  const bytes = Buffer.from(text);
  const { first, end } = prefixRange(words, bytes);
  return {
    first,
    end,
    whole: findWord(words, { first, end }, bytes),
    postingCount: (postingOffsets[end] as number) - (postingOffsets[first] as number),
  };
}

/** A word is rare if it has at most one posting for this many documents, or very few. */
const [docsPerPosting, fewPostings] = [128, 16];

/**
 * The documents of a range with all words in some fields, as bitmaps whose intersection they are. Frequent words have theirs
 * in the segment; all others share one of the pool, so that a query with many words takes no more memory than one with two.
 */
export class WordSets {
  readonly #segment: Segment;
  readonly #range: Range;
  readonly #pool: BitmapPool;
  readonly #search: Pick<Search, 'words' | 'starts'>;
  readonly #starts: SearchedWords;
  readonly #found: Partial<Record<Fields, Bitmap[]>> = {};
  #spare: Bitmap | null = null;

  constructor(segment: Segment, search: Pick<Search, 'words' | 'starts'>, range: Range, pool: BitmapPool) {
    this.#segment = segment;
    this.#search = search;
    this.#range = range;
    this.#pool = pool;
    this.#starts = findSearchedWords(segment.data, search.starts);
  }

  /** They have no removed documents. */
  in(fields: Fields): Bitmap[] {
    this.#found[fields] ??= this.#find(fields);
    return this.#found[fields];
  }

  /** The documents with the rarest word, ascending, with all of the range; null if no word is rare. */
  ofRareWord(): number[] | null {
    const { size, postingOffsets, postingDocs } = this.#segment.data;
    const [word] = this.#starts.others;
    if (!word || word.postingCount > Math.max(size / docsPerPosting, fewPostings)) return null;
    const postings = postingDocs.subarray(postingOffsets[word.first], postingOffsets[word.end]);
    const docs = word.end - word.first > 1 ? postings.slice().sort() : postings;
    const found: number[] = [];
    for (let i = lowerBound(docs, this.#range.first); i < docs.length; i++)
      if (docs[i] !== docs[i - 1]) found.push(docs[i] as number);
    return found;
  }

  #find(fields: Fields): Bitmap[] {
    const { words, starts } = this.#search;
    // Only whole words of the search say more than the words that start with them.
    const isWhole = fields === 'wholeInTitle' && words.length > starts.length;
    const { frequent, others } = isWhole ? findSearchedWords(this.#segment.data, words) : this.#starts;
    return [...frequent.map((bitmaps) => bitmaps[fields]), ...this.#unite(others, fields)];
  }

  #unite(searched: SearchedWord[], fields: Fields): Bitmap[] {
    const { data, removed } = this.#segment;
    let united: Bitmap | null = null;
    for (const word of searched) {
      const bits = (this.#spare ?? this.#pool.take()).fill(0);
      unitePostings(data, word, fields, this.#range, united, bits);
      this.#spare = united;
      united = bits;
    }
    if (!united) return [];
    for (const doc of removed) clearBit(united, doc);
    return [united];
  }
}

export const gradeCount = fieldsOfGrades.length;
/** The position in `fieldsOfGrades` of the grade of a word in some fields. */
export const gradeOf = (fields: number): number =>
  fields & wholeInTitle ? 0 : fields & inTitle ? 1 : fields & inAddress ? 2 : 3;
/** Whether matches are ordered by grade. */
export const isGraded = ({ search, order }: ListQuery): boolean => search !== null && order === 'relevance';
