/** Builds a segment from the rows of listed events. */
import { packId } from '#base';
import {
  type Bitmap,
  bitmapLength,
  ChunkedList,
  cellOf,
  createDictionary,
  createIdTable,
  setBit,
  signatureOf,
  toPoint,
  WordTable,
} from '#record-index';
import { traits } from '../traits.ts';
import { buildFrequent } from './frequent-starts.ts';
import { forEachWord, type IndexRow } from './index-rows.ts';
import { blockSize, type SegmentData } from './segment.ts';
import { buildSeries, type SeriesDoc } from './series-columns.ts';
import { sortByUse } from './words-by-use.ts';

/** Each word of a document has the fields in its lowest bits. */
const fieldBits = 3;

export class SegmentBuilder {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #ids: Uint8Array;
  readonly #organizers: Uint8Array;
  readonly #categories = new Map<string, Bitmap>();
  readonly #traits: Bitmap[];
  readonly #allDay: { doc: number; firstDay: number; endDay: number }[] = [];
  readonly #series: SeriesDoc[] = [];
  readonly #places: Float64Array;
  readonly #wordTable = new WordTable();
  /** The words of all documents, document after document: their numbers and fields, and how many each document has. */
  readonly #words = new ChunkedList();
  readonly #wordsOfDoc: Uint32Array;
  #size = 0;

  readonly #endingAfter: number;

  /** @param capacity the maximum number of rows @param endingAfter events that end until then are left out */
  constructor(capacity: number, endingAfter: Date | null = null) {
    this.#endingAfter = endingAfter?.getTime() ?? Number.NEGATIVE_INFINITY;
    this.#starts = new Float64Array(capacity);
    this.#ends = new Float64Array(capacity);
    this.#ids = new Uint8Array(capacity * 16);
    this.#organizers = new Uint8Array(capacity * 16);
    this.#traits = traits.map(() => new Uint32Array(bitmapLength(capacity)));
    this.#places = new Float64Array(capacity * 2);
    this.#wordsOfDoc = new Uint32Array(capacity);
  }

  /** The number of rows so far. */
  get size(): number {
    return this.#size;
  }

  /** An estimate of the memory of the segment, in bytes: of its words, and of what each document has besides. */
  get bytes(): number {
    return this.#words.length * 5 + this.#starts.length * 65 + this.#wordTable.bytes;
  }

  /** Adds a row. Rows must come in the order of start and id. */
  add(row: IndexRow): void {
    const doc = this.#size++;
    this.#starts[doc] = row.start;
    this.#ends[doc] = row.end;
    this.#ids.set(packId(row.id), doc * 16);
    this.#organizers.set(packId(row.organizerId), doc * 16);
    const newBitmap = () => new Uint32Array(bitmapLength(this.#starts.length));
    setBit(this.#categories.getOrInsertComputed(row.category, newBitmap), doc);
    for (let i = 0; i < traits.length; i++) if (row.traits & (1 << i)) setBit(this.#traits[i] as Bitmap, doc);
    const { firstDay, endDay } = row;
    if (firstDay !== null && endDay !== null) this.#allDay.push({ doc, firstDay, endDay });
    const { seriesId, lat, lng } = row;
    if (seriesId !== null) this.#series.push({ doc, seriesId, lat, lng });
    this.#places[doc * 2] = row.lat;
    this.#places[doc * 2 + 1] = row.lng;
    const before = this.#words.length;
    forEachWord(row.search, (begin, end, fields) => {
      this.#words.push((this.#wordTable.numberOf(row.search, begin, end) << fieldBits) | fields);
    });
    this.#wordsOfDoc[doc] = this.#words.length - before;
  }

  /** @param maxBitmapBytes the memory for bitmaps of frequent words; those with the most postings get them */
  build(maxBitmapBytes: number): SegmentData {
    const size = this.#size;
    const sorted = this.#wordTable.words
      .map((word, number) => ({ word, number, bytes: Buffer.from(word) }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const postings = this.#buildPostings(sorted.map(({ number }) => number));
    const texts = sorted.map(({ word }) => word);
    const words = createDictionary(texts);
    const ids = this.#ids.subarray(0, size * 16);
    const organizers = this.#buildOrganizers();
    const wordsByUse = sortByUse({ ...postings, ...organizers });
    return {
      size,
      endingAfter: this.#endingAfter,
      starts: this.#starts.subarray(0, size),
      ends: this.#ends.subarray(0, size),
      ids,
      idTable: createIdTable(ids),
      latestEnds: this.#buildLatestEnds(),
      categories: this.#categories,
      traits: this.#traits.map((bits) => bits.subarray(0, bitmapLength(size))),
      allDayDocs: Uint32Array.from(this.#allDay, ({ doc }) => doc),
      firstDays: Int32Array.from(this.#allDay, ({ firstDay }) => firstDay),
      endDays: Int32Array.from(this.#allDay, ({ endDay }) => endDay),
      ...this.#buildCells(),
      ...organizers,
      series: buildSeries(size, this.#series),
      words,
      wordsByUse,
      signatures: Uint32Array.from(wordsByUse, (word) => signatureOf(texts[word] as string)),
      ...postings,
      frequent: buildFrequent(size, { texts, words, ...postings }, maxBitmapBytes),
    };
  }

  #buildLatestEnds(): Float64Array {
    const latest = new Float64Array(Math.ceil(this.#size / blockSize)).fill(-Infinity);
    for (let doc = 0; doc < this.#size; doc++) {
      const block = Math.floor(doc / blockSize);
      latest[block] = Math.max(latest[block] as number, this.#ends[doc] as number);
    }
    return latest;
  }

  /** Sorts the words of the documents by word; within a word they stay in the order of documents. */
  #buildPostings(numbers: number[]): Postings {
    const rankOf = new Uint32Array(numbers.length);
    for (const [rank, number] of numbers.entries()) rankOf[number] = rank;
    const total = this.#words.length;
    const postingOffsets = new Uint32Array(numbers.length + 1);
    for (let i = 0; i < total; i++) {
      const after = (rankOf[this.#words.at(i) >>> fieldBits] as number) + 1;
      postingOffsets[after] = (postingOffsets[after] as number) + 1;
    }
    for (let rank = 0; rank < numbers.length; rank++) {
      postingOffsets[rank + 1] = (postingOffsets[rank + 1] as number) + (postingOffsets[rank] as number);
    }
    const next = postingOffsets.slice();
    const postingDocs = new Uint32Array(total);
    const postingFields = new Uint8Array(total);
    for (let doc = 0, i = 0; doc < this.#size; doc++) {
      for (const end = i + (this.#wordsOfDoc[doc] as number); i < end; i++) {
        const word = this.#words.at(i);
        const rank = rankOf[word >>> fieldBits] as number;
        const place = next[rank] as number;
        next[rank] = place + 1;
        postingDocs[place] = doc;
        postingFields[place] = word & (2 ** fieldBits - 1);
      }
      this.#words.drop(i);
    }
    return { postingOffsets, postingDocs, postingFields };
  }

  #buildCells(): Pick<SegmentData, CellColumns> {
    const size = this.#size;
    const place = (doc: number) => ({
      lat: this.#places[doc * 2] as number,
      lng: this.#places[doc * 2 + 1] as number,
    });
    const cellOfDoc = Int32Array.from({ length: size }, (_, doc) => cellOf(place(doc).lat, place(doc).lng));
    const { docs, groups, offsets } = groupDocs(
      size,
      (a, b) => (cellOfDoc[a] as number) - (cellOfDoc[b] as number),
    );
    const coordinates = new Float64Array(size * 2);
    const points = new Float64Array(size * 3);
    const cellPlaces = new Uint32Array(size);
    for (const [i, doc] of docs.entries()) {
      const { lat, lng } = place(doc);
      coordinates[i * 2] = lat;
      coordinates[i * 2 + 1] = lng;
      points.set(toPoint({ lat, lng }), i * 3);
      cellPlaces[doc] = i;
    }
    return {
      cells: Int32Array.from(groups, (doc) => cellOfDoc[doc] as number),
      cellOffsets: offsets,
      cellDocs: docs,
      coordinates,
      points,
      cellPlaces,
    };
  }

  #buildOrganizers(): Pick<SegmentData, OrganizerColumns> {
    const ids = Buffer.from(this.#organizers.buffer);
    const compare = (a: number, b: number) => ids.compare(ids, b * 16, b * 16 + 16, a * 16, a * 16 + 16);
    const { docs, groups, offsets } = groupDocs(this.#size, compare);
    const organizers = new Uint8Array(groups.length * 16);
    for (const [i, doc] of groups.entries()) organizers.set(ids.subarray(doc * 16, doc * 16 + 16), i * 16);
    const organizerOfDoc = new Uint32Array(this.#size);
    for (let place = 0; place < groups.length; place++) {
      for (const doc of docs.subarray(offsets[place], offsets[place + 1])) organizerOfDoc[doc] = place;
    }
    return { organizers, organizerOffsets: offsets, organizerDocs: docs, organizerOfDoc };
  }
}

/**
 * Sorts the documents by a key, and within a key by document.
 * @returns `groups`: a document of each key; `offsets`: where each group begins in `docs`, and its end
 */
function groupDocs(size: number, compare: (a: number, b: number) => number) {
  const docs = Uint32Array.from({ length: size }, (_, doc) => doc).sort((a, b) => compare(a, b) || a - b);
  const begins: number[] = [];
  for (const [i, doc] of docs.entries()) {
    if (i === 0 || compare(docs[i - 1] as number, doc) !== 0) begins.push(i);
  }
  const groups = begins.map((i) => docs[i] as number);
  return { docs, groups, offsets: Uint32Array.from([...begins, size]) };
}

type CellColumns = 'cells' | 'cellOffsets' | 'cellDocs' | 'coordinates' | 'points' | 'cellPlaces';
type OrganizerColumns = 'organizers' | 'organizerOffsets' | 'organizerDocs' | 'organizerOfDoc';
type Postings = Pick<SegmentData, 'postingOffsets' | 'postingDocs' | 'postingFields'>;
