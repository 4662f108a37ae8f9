/**
 * A segment of the discovery index: the listed events in columns, in the order of start and id. A document is the
 * position of an event in this order. All columns are typed arrays, outside the heap of V8; a worker thread builds them.
 */

import { changeKeyOf, type ListingKey } from '../../../cache/change-log.ts';
import { bitmapLength, clearRange, hasBit, setBit } from '../../../lib/bitmap.ts';
import { compareBytes, type Dictionary, findBytes, findWord, prefixRange } from '../../../lib/dictionary.ts';
import type { Band } from '../../../lib/grid-cells.ts';
import { findId } from '../../../lib/id-table.ts';
import { packId, unpackId } from '../../../lib/ids.ts';
import { lowerBound, partitionPoint } from '../../../lib/lower-bound.ts';
import type { Coordinates } from '../../../lib/sphere.ts';
import { dayMs } from '../../../lib/time.ts';
import { bytesIn } from '../../../lib/typed-arrays.ts';

/** The bits of a posting: the fields of the event that contain the word. */
export const inTitle = 1;
export const inAddress = 2;
export const inDescription = 4;
/** A further bit for a searched word: the title has the word itself, and not only a longer one. */
export const wholeInTitle = 8;

/** The documents with a word or with one that starts with it, by where they have it, as bitmaps. */
export type WordBitmaps = {
  anywhere: Uint32Array;
  inTitleOrAddress: Uint32Array;
  inTitle: Uint32Array;
  wholeInTitle: Uint32Array;
};

export const createBitmaps = (create: () => Uint32Array): WordBitmaps => ({
  anywhere: create(),
  inTitleOrAddress: create(),
  inTitle: create(),
  wholeInTitle: create(),
});

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
  /** Finds a document by its id (id-table.ts). */
  idTable: Uint32Array;
  /** Positions in `categoryNames`. */
  categories: Uint8Array;
  categoryNames: string[];
  /** The documents that are known to cost nothing, as a bitmap. */
  free: Uint32Array;
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
  words: Dictionary;
  /** The signature of each word (edit-distance.ts). */
  signatures: Uint32Array;
  /** The postings of word `i` are those from `postingOffsets[i]` to before `postingOffsets[i + 1]`, by document. */
  postingOffsets: Uint32Array;
  postingDocs: Uint32Array;
  postingFields: Uint8Array;
  /** Frequent words and short starts of words, whose many postings would take long to unite for each query. */
  frequent: Map<string, WordBitmaps>;
};

type Postings = Pick<SegmentData, 'postingOffsets' | 'postingDocs' | 'postingFields'>;

/**
 * Adds the postings of a range of words to bitmaps.
 * @param whole the position of the word that is searched itself; −1 if it is not a word of the segment
 */
export function unitePostings(
  { postingOffsets, postingDocs, postingFields }: Postings,
  { first, end }: { first: number; end: number },
  whole: number,
  { anywhere, inTitleOrAddress, inTitle: title, wholeInTitle: wholeTitle }: WordBitmaps,
): void {
  const stop = postingOffsets[end] as number;
  for (let i = postingOffsets[first] as number; i < stop; i++) {
    const doc = postingDocs[i] as number;
    const fields = postingFields[i] as number;
    setBit(anywhere, doc);
    if ((fields & (inTitle | inAddress)) === 0) continue;
    setBit(inTitleOrAddress, doc);
    if (fields & inTitle) setBit(title, doc);
  }
  if (whole < 0) return;
  for (let i = postingOffsets[whole] as number; i < (postingOffsets[whole + 1] as number); i++) {
    if ((postingFields[i] as number) & inTitle) setBit(wholeTitle, postingDocs[i] as number);
  }
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
const blockSize = 256;

export class Segment {
  readonly data: SegmentData;
  /** Documents that were changed or deleted since the segment was built. */
  readonly removed: Uint32Array;
  #removedCount = 0;
  /** The latest end of each block of documents. */
  readonly #latestEnds: Float64Array;
  readonly #categoryBitmaps: Uint32Array[];

  constructor(data: SegmentData) {
    this.data = data;
    this.removed = new Uint32Array(bitmapLength(data.size));
    this.#latestEnds = new Float64Array(Math.ceil(data.size / blockSize)).fill(-Infinity);
    this.#categoryBitmaps = data.categoryNames.map(() => new Uint32Array(bitmapLength(data.size)));
    for (let doc = 0; doc < data.size; doc++) {
      const block = Math.floor(doc / blockSize);
      const end = data.ends[doc] as number;
      if (end > (this.#latestEnds[block] as number)) this.#latestEnds[block] = end;
      setBit(this.#categoryBitmaps[data.categories[doc] as number] as Uint32Array, doc);
    }
  }

  /** The memory of the segment. */
  get bytes(): number {
    return bytesIn([this.data, this.#categoryBitmaps, this.#latestEnds, this.removed]);
  }

  get removedCount(): number {
    return this.#removedCount;
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

  /** Removes the documents that do not end after `at`, in ms, from a bitmap. */
  keepEndingAfter(bits: Uint32Array, at: number): void {
    const { ends } = this.data;
    // An event that starts after `at` ends after it, too.
    const begun = this.startingAfter(at);
    const running: number[] = [];
    for (let first = 0, block = 0; first < begun; first += blockSize, block++) {
      if ((this.#latestEnds[block] as number) <= at) continue;
      const last = Math.min(first + blockSize, begun);
      for (let doc = first; doc < last; doc++)
        if ((ends[doc] as number) > at && hasBit(bits, doc)) running.push(doc);
    }
    clearRange(bits, 0, begun);
    for (const doc of running) setBit(bits, doc);
  }

  hasWord(word: Buffer): boolean {
    const { words } = this.data;
    return findWord(words, prefixRange(words, word), word) >= 0;
  }

  /** Null for a category without events. */
  ofCategory(name: string): Uint32Array | null {
    return this.#categoryBitmaps[this.data.categoryNames.indexOf(name)] ?? null;
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
    return doc >= 0 && hasBit(this.removed, doc) ? -1 : doc;
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
      if (hasBit(this.removed, doc) || !changeKeys.has(changeKeyOf(this.idOf(doc)))) continue;
      setBit(this.removed, doc);
      this.#removedCount++;
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
