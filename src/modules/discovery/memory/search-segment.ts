/**
 * Finds the documents of a segment that match a query: each filter is a range or a bitmap, and the result is their
 * intersection. A filter that the segment has as a bitmap is neither copied nor counted again. A searched word stands for
 * itself and for all words that start with it.
 */
import {
  type Bitmap,
  type BitmapPool,
  clearBit,
  findWord,
  hasBit,
  intersectAll,
  lowerBound,
  prefixRange,
  type Range,
  RankedBitmap,
  RecordSet,
  subtract,
} from '#record-index';
import type { Search } from '../../events/search-words.ts';
import type { ListQuery } from '../event-query.ts';
import { type DocRange, listMatching, rangeOf } from '../filters.ts';
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

/** `grades`: the documents of each grade, the best first, each until the next one or the next search. */
export type Found = { total: number; grades: Iterable<RecordSet> };

const noWords = { words: [], starts: [] };

export function searchSegment(segment: Segment, query: ListQuery, pool: BitmapPool): Found {
  if (query.search?.words.length === 0) return { total: 0, grades: [] };
  pool.reset();
  const range = rangeOf(segment, query);
  const words = new WordSets(segment, query.search ?? noWords, range.whole, pool);
  const anywhere = words.in('anywhere');
  const sets = listMatching(segment, query, range, anywhere, pool);
  const few = words.ofRareWord();
  if (few) {
    const running = new RecordSet(range.running);
    const isInRange = (doc: number) => (doc >= range.first && doc < range.end) || running.has(doc);
    const docs = keep(few, sets).filter(isInRange);
    return { total: docs.length, grades: isGraded(query) ? gradeFew(docs, words) : [new RecordSet(docs)] };
  }
  const all = select(segment, range, sets, pool);
  /** The documents that have all words in some fields. */
  const find = (fields: Fields) => {
    if (fields === 'anywhere') return all;
    const filters = sets === anywhere || !all.rest ? [] : [all.rest.bits];
    return select(segment, { ...range, running: all.few }, [...filters, ...words.in(fields)], pool);
  };
  return { total: all.size, grades: isGraded(query) ? gradeMany(find, range, pool) : [all] };
}

function* gradeFew(docs: number[], words: WordSets): Generator<RecordSet> {
  let left = docs;
  for (const fields of fieldsOfGrades) {
    const found = keep(left, words.in(fields));
    const known = new RecordSet(found);
    yield known;
    if (known.size > 0) left = left.filter((doc) => !known.has(doc));
  }
}

function* gradeMany(
  find: (fields: Fields) => RecordSet,
  range: DocRange,
  pool: BitmapPool,
): Generator<RecordSet> {
  let better: RecordSet | null = null;
  for (const fields of fieldsOfGrades) {
    const found = find(fields);
    yield better ? without(found, better, range, pool) : found;
    better = found;
  }
}

/** The documents that are in all sets. */
const keep = (docs: number[], sets: Bitmap[]): number[] =>
  sets.reduce((left, bits) => left.filter((doc) => hasBit(bits, doc)), docs);

function select(segment: Segment, range: DocRange, filters: Bitmap[], pool: BitmapPool): RecordSet {
  const sets = filters.length > 0 ? filters : [segment.current];
  const bits = intersectAll(sets, range.whole, pool.take());
  return new RecordSet(keep(range.running, sets), new RankedBitmap(bits, range, segment.countsOf(bits)));
}

/** @param better a subset of the documents, which is left out */
function without({ few, rest }: RecordSet, better: RecordSet, range: DocRange, pool: BitmapPool): RecordSet {
  const left = few.filter((doc) => !better.has(doc));
  if (!rest || !better.rest?.size) return new RecordSet(left, rest);
  return new RecordSet(
    left,
    new RankedBitmap(subtract(rest.bits, better.rest.bits, range, pool.take()), range),
  );
}

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
