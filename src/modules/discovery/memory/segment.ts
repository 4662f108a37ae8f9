/**
 * A segment of the discovery index: the listed events in columns, in the order of start and id. A document is the
 * position of an event in this order. All columns are typed arrays, outside the heap of V8; a worker thread builds them.
 */

import { bytesIn, dayMs, minuteMs, packId, unpackId } from '#base';
import { changeKeyOf, type ListingKey } from '#fresh-records';
import {
  type Band,
  type Bitmap,
  bitmapLength,
  type Coordinates,
  clearBit,
  compareBytes,
  countBlocks,
  type Dictionary,
  findBytes,
  findId,
  findWord,
  hasBit,
  lowerBound,
  partitionPoint,
  prefixRange,
  type Range,
  setBit,
  uncount,
} from '#record-index';
import { type Trait, traits } from '../traits.ts';
import type { SeriesColumns } from './series-columns.ts';

/** The bits of a posting: the fields of the event that contain the word. */
export const inTitle = 1;
export const inAddress = 2;
export const inDescription = 4;
/** A further bit for a searched word: the title has the word itself, and not only a longer one. */
export const wholeInTitle = 8;

/**
 * Where a document may have a word: as a whole word of the title; at the start of a word of the title; at the start of a
 * word of title or address; at the start of any word. Each contains those before it.
 */
export const fieldsOfGrades = ['wholeInTitle', 'inTitle', 'inTitleOrAddress', 'anywhere'] as const;
export type Fields = (typeof fieldsOfGrades)[number];

/** The documents with a word or with one that starts with it, by where they have it. */
export type WordBitmaps = Record<Fields, Bitmap>;

export type SegmentData = {
  /** The number of documents. */
  size: number;
  /** In ms. Events that end until then are not in the segment. */
  endingAfter: number;
  /** In ms, ascending. */
  starts: Float64Array;
  ends: Float64Array;
  /** 16 bytes each. */
  ids: Uint8Array;
  /** Finds a document by its id (look-up.ts). */
  idTable: Uint32Array;
  /** The latest end of each block of `blockSize` documents, in ms. */
  latestEnds: Float64Array;
  /** The documents of each category. */
  categories: Map<string, Bitmap>;
  /** The documents of each trait, in the order of `traits`. */
  traits: Bitmap[];
  /** All-day events, ascending, with their first days and the days after their last ones, in days since 1970-01-01. */
  allDayDocs: Uint32Array;
  firstDays: Int32Array;
  endDays: Int32Array;
  /** Documents by cell: cell numbers ascending, where each begins in `cellDocs`, and the points on the unit sphere. */
  cells: Int32Array;
  cellOffsets: Uint32Array;
  cellDocs: Uint32Array;
  /** Latitude and longitude of each element of `cellDocs`, in degrees. */
  coordinates: Float64Array;
  /** Three coordinates for each element of `cellDocs`. */
  points: Float64Array;
  /** The position of each document in `cellDocs`. */
  cellPlaces: Uint32Array;
  /** Documents by organizer: ids of 16 bytes ascending, and where each begins in `organizerDocs`. */
  organizers: Uint8Array;
  organizerOffsets: Uint32Array;
  organizerDocs: Uint32Array;
  /** The position of the organizer of each document in `organizers`. */
  organizerOfDoc: Uint32Array;
  series: SeriesColumns;
  words: Dictionary;
  /** The positions of the words, those of most organizers first, then those of most documents. */
  wordsByUse: Uint32Array;
  /** The signature of each word (edit-distance.ts), in the order of `wordsByUse`. */
  signatures: Uint32Array;
  /** The postings of word `i` are those from `postingOffsets[i]` to before `postingOffsets[i + 1]`, by document. */
  postingOffsets: Uint32Array;
  postingDocs: Uint32Array;
  postingFields: Uint8Array;
  /** Frequent words and short starts of words, whose many postings would take long to unite for each query. */
  frequent: Map<string, WordBitmaps>;
};

type Postings = Pick<SegmentData, 'postingOffsets' | 'postingDocs' | 'postingFields'>;
/** For the fields of a posting, 1 if some of them are wanted and 0 otherwise. */
const toTable = (wanted: number) =>
  Uint8Array.from({ length: wholeInTitle }, (_, fields) => Number((fields & wanted) !== 0));
const wantedFields: Record<Fields, Uint8Array> = {
  wholeInTitle: toTable(inTitle),
  inTitle: toTable(inTitle),
  inTitleOrAddress: toTable(inTitle | inAddress),
  anywhere: toTable(inTitle | inAddress | inDescription),
};

/** Words from `first` to before `end`. `whole`: the position of the word that is searched itself; −1 if there is none. */
export type WordRange = Range & { whole: number };

/**
 * Adds the documents of a range that have one of some words in some fields to a bitmap.
 * @param within null: any of these documents
 */
export function unitePostings(
  { postingOffsets, postingDocs, postingFields }: Postings,
  { first, end, whole }: WordRange,
  fields: Fields,
  range: Range,
  within: Bitmap | null,
  bits: Bitmap,
): void {
  const [from, to] = fields !== 'wholeInTitle' ? [first, end] : whole < 0 ? [0, 0] : [whole, whole + 1];
  const wanted = wantedFields[fields];
  for (let word = from; word < to; word++) {
    const next = endOfRareWords(postingOffsets, word, to);
    const isRare = next > word;
    let i = postingOffsets[word] as number;
    let stop = postingOffsets[isRare ? next : word + 1] as number;
    if (isRare) {
      word = next - 1;
    } else {
      stop = lowerBound(postingDocs, range.end, i, stop);
      i = lowerBound(postingDocs, range.first, i, stop);
      if (!within) i = addPostings(postingDocs, postingFields, i, stop, wanted, bits);
    }
    for (; i < stop; i++) {
      const doc = postingDocs[i] as number;
      if (isRare && (doc < range.first || doc >= range.end)) continue;
      if (within && !hasBit(within, doc)) continue;
      if (wanted[postingFields[i] as number]) setBit(bits, doc);
    }
  }
}

/** Words with at most so many postings are rare: to read all of them takes less time than to search those of a range. */
const maxRare = 16;

/** The first word from `word` on that is not rare; at most `end`. The postings of the rare words lie side by side. */
function endOfRareWords(postingOffsets: Uint32Array, word: number, end: number): number {
  let next = word;
  while (next < end && (postingOffsets[next + 1] as number) - (postingOffsets[next] as number) <= maxRare)
    next++;
  return next;
}

/**
 * Adds most of the postings from `begin` to before `stop`. Neighbours often share an element of the bitmap, and its second
 * change must wait for the first one: four distant postings at a time, read before any change, take half of the time.
 * @returns the first posting that is not added
 */
function addPostings(
  docs: Uint32Array,
  fields: Uint8Array,
  begin: number,
  stop: number,
  wanted: Uint8Array,
  bits: Bitmap,
): number {
  const n = (stop - begin) >>> 2;
  for (let i = begin; i < begin + n; i++) {
    const [a, b] = [docs[i] as number, docs[i + n] as number];
    const [c, d] = [docs[i + 2 * n] as number, docs[i + 3 * n] as number];
    const bitA = (wanted[fields[i] as number] as number) << a;
    const bitB = (wanted[fields[i + n] as number] as number) << b;
    const bitC = (wanted[fields[i + 2 * n] as number] as number) << c;
    const bitD = (wanted[fields[i + 3 * n] as number] as number) << d;
    bits[a >>> 5] = (bits[a >>> 5] as number) | bitA;
    bits[b >>> 5] = (bits[b >>> 5] as number) | bitB;
    bits[c >>> 5] = (bits[c >>> 5] as number) | bitC;
    bits[d >>> 5] = (bits[d >>> 5] as number) | bitD;
  }
  return begin + 4 * n;
}

/**
 * Calls `visit` for the ranges of `cellDocs` with the documents of some cells. `isInner`: as that of the cells.
 */
export function forEachRange(
  { cells, cellOffsets }: Pick<SegmentData, 'cells' | 'cellOffsets'>,
  bands: Band[],
  visit: (first: number, stop: number, isInner: boolean) => void,
): void {
  for (const { first, last, isInner } of bands) {
    // The cells of a band are adjacent in the column, and so are their documents.
    const place = lowerBound(cells, first);
    if (place === cells.length || (cells[place] as number) > last) continue;
    visit(cellOffsets[place] as number, cellOffsets[lowerBound(cells, last + 1)] as number, isInner);
  }
}

/** Documents that are scanned together for running events. */
export const blockSize = 256;

export class Segment {
  readonly data: SegmentData;
  /** Documents that were changed or deleted since the segment was built. No bitmap of the segment has them. */
  readonly removed: number[] = [];
  /** All other documents. */
  readonly current: Bitmap;
  /** The documents that were running at a time. */
  #running = { at: Number.POSITIVE_INFINITY, begun: 0, docs: [] as number[] };
  /** The bitmaps of the segment with the counts of their blocks, from their first use on. */
  readonly #counts: Map<Bitmap, Uint16Array | null>;

  constructor(data: SegmentData) {
    this.data = data;
    this.current = new Uint32Array(bitmapLength(data.size)).fill(0xffffffff);
    const ofWords = [...data.frequent.values()].flatMap((bitmaps) => Object.values(bitmaps));
    const bitmaps = [this.current, data.series.docs, ...data.traits, ...data.categories.values(), ...ofWords];
    this.#counts = new Map(bitmaps.map((bits) => [bits, null]));
  }

  /** The memory of the segment. */
  get bytes(): number {
    return bytesIn([this.data, this.current]);
  }

  /** The counts of the blocks of a bitmap; undefined if it is not one of the segment. */
  countsOf(bits: Bitmap): Uint16Array | undefined {
    let counts = this.#counts.get(bits);
    if (counts === null) {
      counts = countBlocks(bits, { first: 0, end: this.data.size });
      this.#counts.set(bits, counts);
    }
    return counts;
  }

  /** The first document that starts after `at`, in ms. */
  startingAfter(at: number): number {
    return partitionPoint(this.data.size, (doc) => (this.data.starts[doc] as number) <= at);
  }

  /** The first document that starts at or after `since`, in ms. */
  startingAt(since: number): number {
    // Times of events are whole milliseconds.
    return this.startingAfter(since - 0.001);
  }

  /** The documents before `begun` that end after `at`, in ms, ascending. @param begun the first one that starts after `at` */
  runningAt(at: number, begun: number): number[] {
    const { ends, latestEnds } = this.data;
    // Most queries ask for the present: a minute later, the same documents and a few more may be running.
    if (at < this.#running.at || at >= this.#running.at + minuteMs) {
      const docs: number[] = [];
      for (let first = 0, block = 0; first < begun; first += blockSize, block++) {
        if ((latestEnds[block] as number) <= at) continue;
        const last = Math.min(first + blockSize, begun);
        for (let doc = first; doc < last; doc++) if ((ends[doc] as number) > at) docs.push(doc);
      }
      this.#running = { at, begun, docs };
    }
    const running = this.#running.docs.filter((doc) => (ends[doc] as number) > at);
    for (let doc = this.#running.begun; doc < begun; doc++) if ((ends[doc] as number) > at) running.push(doc);
    return running;
  }

  hasWord(word: Buffer): boolean {
    const { words } = this.data;
    return findWord(words, prefixRange(words, word), word) >= 0;
  }

  withTrait(trait: Trait): Bitmap {
    // The segment has a bitmap of each trait.
    return this.data.traits[traits.indexOf(trait)] as Bitmap;
  }

  /** Null for a category without events. */
  ofCategory(name: string): Bitmap | null {
    return this.data.categories.get(name) ?? null;
  }

  /** The position of a person in the column of organizers; −1 for a person without events. */
  organizerPlace(id: string): number {
    return findBytes(this.data.organizers, 16, packId(id));
  }

  /** The documents of the organizer at a position, ascending; none for −1. */
  docsOfPlace(place: number): Uint32Array {
    const { organizerOffsets, organizerDocs } = this.data;
    return place < 0
      ? new Uint32Array(0)
      : organizerDocs.subarray(organizerOffsets[place], organizerOffsets[place + 1]);
  }

  /** The documents of an organizer, ascending; none for a person without events. */
  docsOfOrganizer(id: string): Uint32Array {
    return this.docsOfPlace(this.organizerPlace(id));
  }

  /** The document with the id that `bytes` has from `offset` on, if it is not removed; −1 if there is none. */
  find(bytes: Uint8Array, offset: number): number {
    const doc = findId(this.data.idTable, this.data.ids, bytes, offset);
    return doc >= 0 && !hasBit(this.current, doc) ? -1 : doc;
  }

  /** Removes the documents with these change keys from a cell and a day. */
  removeChanged({ cell, day }: ListingKey, changeKeys: Set<string>): void {
    const { cells, cellOffsets, cellDocs } = this.data;
    const place = lowerBound(cells, cell);
    if (cells[place] !== cell) return;
    const ofCell = cellDocs.subarray(cellOffsets[place], cellOffsets[place + 1]);
    // The documents of a cell are in the order of their starts, which are whole milliseconds or more precise.
    const first = lowerBound(ofCell, this.startingAt(day * dayMs));
    const end = lowerBound(ofCell, this.startingAt((day + 1) * dayMs));
    for (const doc of ofCell.subarray(first, end)) {
      if (hasBit(this.current, doc) && changeKeys.has(changeKeyOf(this.idOf(doc)))) this.#remove(doc);
    }
  }

  #remove(doc: number): void {
    this.removed.push(doc);
    for (const [bits, counts] of this.#counts) {
      if (!hasBit(bits, doc)) continue;
      clearBit(bits, doc);
      if (counts) uncount(counts, doc);
    }
  }

  /**
   * The number of documents before a start and id in the order of the segment; with `isAfter`, a document at exactly this
   * start and id counts as well.
   */
  positionOf(start: number, id: string, isAfter = false): number {
    const { starts, ids } = this.data;
    const bytes = packId(id);
    return partitionPoint(this.data.size, (doc) => {
      const difference = (starts[doc] as number) - start || compareBytes(ids, doc * 16, bytes);
      return difference < 0 || (isAfter && difference === 0);
    });
  }

  coordinatesOf(doc: number): Coordinates {
    const { coordinates, cellPlaces } = this.data;
    const at = 2 * (cellPlaces[doc] as number);
    return { lat: coordinates[at] as number, lng: coordinates[at + 1] as number };
  }

  idOf(doc: number): string {
    return unpackId(this.data.ids, doc * 16);
  }
}
