/**
 * The events that were added or changed since the segment was built. The overlay is changed in place, so a write costs
 * some microseconds, and a query scans it; the index is rebuilt before the overlay grows large.
 */
import { changeKeyOf, type ListingKey } from '../../../cache/change-log.ts';
import { isInBox } from '../../../lib/coordinates.ts';
import { createDictionary, type Dictionary, findWord, prefixRange } from '../../../lib/dictionary.ts';
import { cellOf } from '../../../lib/grid-cells.ts';
import { type Coordinates, isPointInCap, toPoint } from '../../../lib/sphere.ts';
import { dayOf } from '../../events/listing-keys.ts';
import type { ListQuery } from '../event-query.ts';
import { createTest, type FilteredEvent } from '../filters.ts';
import { forEachWord, type IndexRow } from './index-rows.ts';
import { gradeCount, isGraded } from './searched-words.ts';
import { inAddress, inTitle, type Segment } from './segment.ts';

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
  };

/** A number for a cell and a day: years 1 to 9999 have fewer days than the factor. */
const placeKey = ({ cell, day }: ListingKey): number => cell * 4_000_000 + day;

/** The memory of an event of the overlay without its words, in bytes. */
const bytesOfEvent = 1_000;
const bytesOf = ({ words, fields }: OverlayEvent): number =>
  bytesOfEvent + words.bytes.length + words.offsets.byteLength + fields.length;

/** Compares two events by start and id. */
export const inOrder = (a: Pick<IndexRow, 'start' | 'id'>, b: Pick<IndexRow, 'start' | 'id'>): number =>
  a.start - b.start || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

export class Overlay {
  readonly #segment: Segment;
  /** In the order of start and id. */
  readonly #events: OverlayEvent[] = [];
  readonly #byId = new Map<string, OverlayEvent>();
  readonly #byOrganizer = new Map<string, Set<OverlayEvent>>();
  #bytes = 0;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  get size(): number {
    return this.#events.length;
  }

  /** The memory of the overlay. */
  get bytes(): number {
    return this.#bytes;
  }

  add({ search, ...row }: IndexRow): void {
    const known = this.#byId.get(row.id);
    if (known) this.#remove(known);
    const words: { word: Buffer; fields: number }[] = [];
    forEachWord(search, (begin, end, fields) =>
      words.push({ word: Buffer.from(search.slice(begin, end)), fields }),
    );
    words.sort((a, b) => Buffer.compare(a.word, b.word));
    const event: OverlayEvent = {
      ...row,
      position: this.#segment.positionOf(row.start, row.id),
      cell: cellOf(row.lat, row.lng),
      day: dayOf(row.start),
      ...createLocationTests(row),
      words: createDictionary(words.map(({ word }) => word)),
      fields: Uint8Array.from(words, ({ fields }) => fields),
    };
    this.#events.splice(this.#placeOf(event), 0, event);
    this.#byId.set(row.id, event);
    const others = this.#byOrganizer.get(row.organizerId);
    if (others) others.add(event);
    else this.#byOrganizer.set(row.organizerId, new Set([event]));
    this.#bytes += bytesOf(event);
  }

  find(id: string): OverlayEvent | null {
    return this.#byId.get(id) ?? null;
  }

  /** The events of an organizer, in any order. */
  ofOrganizer(id: string): Iterable<OverlayEvent> {
    return this.#byOrganizer.get(id) ?? [];
  }

  /** Removes the events with these change keys from some cells and days. */
  removeChanged(places: ListingKey[], changeKeys: Set<string>): void {
    const keys = new Set(places.map(placeKey));
    for (const event of this.#events.filter((each) => keys.has(placeKey(each)))) {
      if (changeKeys.has(changeKeyOf(event.id))) this.#remove(event);
    }
  }

  #remove(event: OverlayEvent): void {
    this.#events.splice(this.#placeOf(event), 1);
    this.#byId.delete(event.id);
    const others = this.#byOrganizer.get(event.organizerId);
    others?.delete(event);
    if (others?.size === 0) this.#byOrganizer.delete(event.organizerId);
    this.#bytes -= bytesOf(event);
  }

  /** The number of events before a start and id. */
  #placeOf(event: Pick<IndexRow, 'start' | 'id'>): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (inOrder(this.#events[middle] as OverlayEvent, event) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** @returns the matching events of each grade, the best first, in the order of start and id */
  search(query: ListQuery): OverlayEvent[][] {
    const grades: OverlayEvent[][] = Array.from({ length: isGraded(query) ? gradeCount : 1 }, () => []);
    if (this.#events.length === 0) return grades;
    const test = createTest(query, (id) => id);
    const words = query.search?.words.map((word) => Buffer.from(word)) ?? null;
    for (const event of this.#events) {
      if (!test(event)) continue;
      const grade = words === null ? 0 : gradeOf(event, words, isGraded(query));
      if (grade !== null) grades[grade]?.push(event);
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

/** The position of the event's grade, from 0 for the best; null if it does not match. See `fieldsOfGrades`. */
function gradeOf(event: OverlayEvent, searched: Buffer[], hasGrades: boolean): number | null {
  if (searched.length === 0) return null;
  let [whole, title, titleOrAddress] = [true, true, true];
  for (const word of searched) {
    const match = matchOf(event, word);
    if (!match) return null;
    whole &&= match.isWholeInTitle;
    title &&= (match.fields & inTitle) !== 0;
    titleOrAddress &&= (match.fields & (inTitle | inAddress)) !== 0;
  }
  if (!hasGrades) return 0;
  return whole ? 0 : title ? 1 : titleOrAddress ? 2 : 3;
}

/** The fields with words that start with `prefix`; null if there are none. */
function matchOf(
  { words, fields }: OverlayEvent,
  prefix: Buffer,
): { fields: number; isWholeInTitle: boolean } | null {
  const range = prefixRange(words, prefix);
  if (range.first === range.end) return null;
  let found = 0;
  for (let i = range.first; i < range.end; i++) found |= fields[i] as number;
  const whole = findWord(words, range, prefix);
  return { fields: found, isWholeInTitle: whole >= 0 && ((fields[whole] as number) & inTitle) !== 0 };
}
