/** The documents of a segment that belong to series. */
import { packId } from '#base';
import { type Bitmap, bitmapLength, findBytes, setBit } from '#record-index';

/** An occurrence of a series. */
export type SeriesDoc = { doc: number; seriesId: string; lat: number; lng: number };

/** A group is the documents of a series at one place. All columns are empty without series. */
export type SeriesColumns = {
  /** The documents of all series. A query visits these alone: other events cost a collapsed list nothing. */
  docs: Bitmap;
  /** The group of each document. */
  groupOfDoc: Uint32Array;
  /** The series of each group, as a position in `ids`. */
  seriesOfGroup: Uint32Array;
  /** Ids of 16 bytes, ascending, and the first group of each. */
  ids: Uint8Array;
  groupOffsets: Uint32Array;
  /** Latitude and longitude of each group. */
  places: Float64Array;
};

export function buildSeries(size: number, found: SeriesDoc[]): SeriesColumns {
  const docs = new Uint32Array(found.length > 0 ? bitmapLength(size) : 0);
  const groupOfDoc = new Uint32Array(found.length > 0 ? size : 0);
  // The text of an id has the order of its bytes.
  const sorted = found.toSorted(
    (a, b) => compareTexts(a.seriesId, b.seriesId) || a.lat - b.lat || a.lng - b.lng,
  );
  const ids: string[] = [];
  const [seriesOfGroup, groupOffsets, places]: [number[], number[], number[]] = [[], [], []];
  for (const [i, { doc, seriesId, lat, lng }] of sorted.entries()) {
    const before = sorted[i - 1];
    const isNewSeries = before?.seriesId !== seriesId;
    if (isNewSeries) {
      ids.push(seriesId);
      groupOffsets.push(seriesOfGroup.length);
    }
    if (isNewSeries || before?.lat !== lat || before.lng !== lng) {
      seriesOfGroup.push(ids.length - 1);
      places.push(lat, lng);
    }
    setBit(docs, doc);
    groupOfDoc[doc] = seriesOfGroup.length - 1;
  }
  return {
    ...{ docs, groupOfDoc },
    seriesOfGroup: Uint32Array.from(seriesOfGroup),
    ids: Uint8Array.from(Buffer.concat(ids.map(packId))),
    groupOffsets: Uint32Array.from([...groupOffsets, seriesOfGroup.length]),
    places: Float64Array.from(places),
  };
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** What is shown once: a series, or on a map a series at a place. */
export type ShownOnce = 'series' | 'place';

/** Identifies what is shown once: a number of the segment, or a text for what only the overlay has. */
type Key = number | string;

/** Which series, or groups, have been seen. */
export class SeenSeries {
  readonly #columns: SeriesColumns;
  readonly #by: ShownOnce;
  readonly #seen: Uint8Array;
  readonly #seenTexts = new Set<string>();

  constructor(columns: SeriesColumns, by: ShownOnce) {
    this.#columns = columns;
    this.#by = by;
    this.#seen = new Uint8Array(by === 'series' ? columns.groupOffsets.length : columns.seriesOfGroup.length);
  }

  /** @param doc a document of a series */
  keyOfDoc(doc: number): number {
    const { groupOfDoc, seriesOfGroup } = this.#columns;
    const group = groupOfDoc[doc] as number;
    return this.#by === 'place' ? group : (seriesOfGroup[group] as number);
  }

  keyOfEvent({ seriesId, lat, lng }: Omit<SeriesDoc, 'doc'>): Key {
    const { ids, groupOffsets, places } = this.#columns;
    const series = findBytes(ids, 16, packId(seriesId));
    if (this.#by === 'series') return series < 0 ? seriesId : series;
    for (let group = groupOffsets[series] ?? 0; group < (groupOffsets[series + 1] ?? 0); group++)
      if (series >= 0 && places[2 * group] === lat && places[2 * group + 1] === lng) return group;
    return `${seriesId} ${lat} ${lng}`;
  }

  /** @returns whether it was not seen before */
  add(key: Key): boolean {
    return typeof key === 'string'
      ? this.#seenTexts.size < this.#seenTexts.add(key).size
      : this.#addNumber(key);
  }

  /** `add` of the key of a document. */
  addDoc(doc: number): boolean {
    return this.#addNumber(this.keyOfDoc(doc));
  }

  #addNumber(key: number): boolean {
    if (this.#seen[key]) return false;
    this.#seen[key] = 1;
    return true;
  }
}
