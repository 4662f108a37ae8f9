/**
 * The events that were added or changed since the segment was built. The overlay is changed in place, so a write costs
 * some microseconds, and a query scans it; the index is rebuilt before the overlay grows large.
 */
import { changeKeyOf, type ListingKey } from '#fresh-records';
import {
  type Coordinates,
  cellOf,
  createDictionary,
  type Dictionary,
  findWord,
  isInBox,
  isPointInCap,
  partitionPoint,
  prefixRange,
  type Range,
  signatureOf,
  toPoint,
} from '#record-index';
import { dayOf } from '../../events/listing-keys.ts';
import type { Search } from '../../events/search-words.ts';
import type { ListQuery } from '../event-query.ts';
import { createTest, type FilteredEvent } from '../filters.ts';
import { forEachWord, type IndexRow } from './index-rows.ts';
import { gradeCount, gradeOf, isGraded } from './search-segment.ts';
import { inTitle, type Segment, wholeInTitle } from './segment.ts';

/** `position`: the number of documents of the segment before the event in the order of start and id. */
export type OverlayEvent = Omit<IndexRow, 'search'> &
  FilteredEvent & {
    position: number;
    cell: number;
    day: number;
    /** In few typed arrays: as objects, the thousands of words of a long text would take ten times the memory. */
    words: Dictionary;
    /** The fields that contain each word. */
    fields: Uint8Array;
    /** The positions in `words` of those that the segment does not have, and their signatures (edit-distance.ts). */
    newWords: Uint16Array;
    signatures: Uint32Array;
  };

/** A number for a cell and a day: years 1 to 9999 have fewer days than the factor. */
const placeKey = ({ cell, day }: ListingKey): number => cell * 4_000_000 + day;

/** The memory of an event of the overlay without its words, in bytes. */
const bytesOfEvent = 1_000;
const bytesOf = ({ words, fields, newWords, signatures }: OverlayEvent): number =>
  bytesOfEvent +
  words.bytes.length +
  words.offsets.byteLength +
  fields.length +
  newWords.byteLength +
  signatures.byteLength;

/** Compares two events by start and id. */
export const inOrder = (a: Pick<IndexRow, 'start' | 'id'>, b: Pick<IndexRow, 'start' | 'id'>): number =>
  a.start - b.start || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

export class Overlay {
  readonly #segment: Segment;
  /** In the order of start and id. */
  readonly events: OverlayEvent[] = [];
  readonly #byId = new Map<string, OverlayEvent>();
  #bytes = 0;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  get size(): number {
    return this.events.length;
  }

  /** The memory of the overlay. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Converts a row; a long text takes some milliseconds. */
  toEvent({ search, ...row }: IndexRow): OverlayEvent {
    const words: { word: string; bytes: Buffer; fields: number }[] = [];
    forEachWord(search, (begin, end, fields) => {
      const word = search.slice(begin, end);
      words.push({ word, bytes: Buffer.from(word), fields });
    });
    words.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
    const added = words.flatMap(({ word, bytes }, at) => (this.#segment.hasWord(bytes) ? [] : { word, at }));
    return {
      ...row,
      position: this.#segment.positionOf(row.start, row.id),
      cell: cellOf(row.lat, row.lng),
      day: dayOf(row.start),
      ...createLocationTests(row),
      words: createDictionary(words.map(({ word }) => word)),
      fields: Uint8Array.from(words, ({ fields }) => fields),
      newWords: Uint16Array.from(added, ({ at }) => at),
      signatures: Uint32Array.from(added, ({ word }) => signatureOf(word)),
    };
  }

  add(event: OverlayEvent): void {
    const known = this.#byId.get(event.id);
    if (known) this.#remove(known);
    this.events.splice(this.#placeOf(event), 0, event);
    this.#byId.set(event.id, event);
    this.#bytes += bytesOf(event);
  }

  find(id: string): OverlayEvent | null {
    return this.#byId.get(id) ?? null;
  }

  /** Removes the events with these change keys from some cells and days. */
  removeChanged(places: ListingKey[], changeKeys: Set<string>): void {
    const keys = new Set(places.map(placeKey));
    for (const event of this.events.filter((each) => keys.has(placeKey(each)))) {
      if (changeKeys.has(changeKeyOf(event.id))) this.#remove(event);
    }
  }

  #remove(event: OverlayEvent): void {
    this.events.splice(this.#placeOf(event), 1);
    this.#byId.delete(event.id);
    this.#bytes -= bytesOf(event);
  }

  /** The number of events before a start and id. */
  #placeOf(event: Pick<IndexRow, 'start' | 'id'>): number {
    return partitionPoint(this.events.length, (i) => inOrder(this.events[i] as OverlayEvent, event) < 0);
  }

  /** @returns the matching events of each grade, the best first, in the order of start and id */
  search(query: ListQuery): OverlayEvent[][] {
    const hasGrades = isGraded(query);
    const grades: OverlayEvent[][] = Array.from({ length: hasGrades ? gradeCount : 1 }, () => []);
    if (this.events.length === 0) return grades;
    const test = createTest(query);
    const search = query.search && toBytes(query.search);
    for (const event of this.events) {
      if (!test(event)) continue;
      const grade = search === null ? 0 : gradeFor(event, search);
      if (grade !== null) grades[hasGrades ? grade : 0]?.push(event);
    }
    return grades;
  }
}

/** In a function of its own, because closures of `add` would keep the words in memory as objects. */
function createLocationTests({ lat, lng }: Coordinates): Pick<FilteredEvent, 'isInBox' | 'isInCap'> {
  const point = toPoint({ lat, lng });
  return {
    isInBox: (box) => isInBox(box, lat, lng),
    isInCap: (cap) => isPointInCap(cap, point, 0),
  };
}

/** The words of a search in UTF-8. `starts`: as those of the search; `others`: the other words. */
type SearchedBytes = { starts: Buffer[]; others: Buffer[] };

function toBytes({ words, starts }: Search): SearchedBytes {
  const others = words.filter((word) => !starts.includes(word));
  return { starts: starts.map((word) => Buffer.from(word)), others: others.map((word) => Buffer.from(word)) };
}

/** The position of the event's grade in `fieldsOfGrades`; null if it does not match. */
function gradeFor(event: OverlayEvent, { starts, others }: SearchedBytes): number | null {
  if (starts.length === 0) return null;
  let grade = 0;
  for (const word of starts) {
    const fields = fieldsWith(event, word);
    if (fields === 0) return null;
    // Each grade contains those before it, so the word with the worst one decides.
    grade = Math.max(grade, gradeOf(fields));
  }
  return grade === 0 && !others.every((word) => isWholeInTitle(event, word)) ? 1 : grade;
}

/** The fields with words that start with `prefix`; 0 if there are none. */
function fieldsWith(event: OverlayEvent, prefix: Buffer): number {
  const { words, fields } = event;
  const range = prefixRange(words, prefix);
  let found = 0;
  for (let i = range.first; i < range.end; i++) found |= fields[i] as number;
  return isWhole(event, range, prefix) ? found | wholeInTitle : found;
}

const isWholeInTitle = (event: OverlayEvent, word: Buffer): boolean =>
  isWhole(event, prefixRange(event.words, word), word);

/** @param range the words that start with `word` */
function isWhole({ words, fields }: OverlayEvent, range: Range, word: Buffer): boolean {
  const whole = findWord(words, range, word);
  return whole >= 0 && ((fields[whole] as number) & inTitle) !== 0;
}
