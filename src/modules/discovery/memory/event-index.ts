/**
 * The discovery index: an immutable segment with the JSON of its events, and an overlay with the events that have
 * changed since it was built.
 */
import { packId } from '#base';
import type { ListingKey } from '#fresh-records';
import { BitmapPool, partitionPoint, type RecordSet, wordAt } from '#record-index';
import type { ListElement } from '../../events/event-serializer.ts';
import type { ListQuery, Page, Slice } from '../event-query.ts';
import type { EventMap } from '../map/cluster-grid.ts';
import type { Effort, NearWord } from '../suggest/near-words.ts';
import { clusterEvents, type MapQuery } from './cluster-events.ts';
import { collapse, type Matches } from './collapse.ts';
import type { IndexRow } from './index-rows.ts';
import { type ChangedVersions, type JsonData, ListedJson } from './listed-json.ts';
import { listNearWords } from './near-words.ts';
import { type DistanceQuery, listNearest, smallestCircle } from './nearest.ts';
import { Overlay, type OverlayEvent } from './overlay.ts';
import { listByPeople, type PeopleEvent, type PeopleQuery } from './people-events.ts';
import { searchSegment } from './search-segment.ts';
import { Segment, type SegmentData } from './segment.ts';

/** The index is rebuilt when this many events have changed: a 32nd of all, within these limits. */
const [minChanged, maxChanged] = [2_048, 16_384];
/** And when their memory is a 32nd of the segment's, within these limits in bytes: texts may be long. */
const [minOverlay, maxOverlay] = [4 * 1024 ** 2, 64 * 1024 ** 2];
/** @returns a 32nd of `whole`, but at least `min` and at most `max` */
const share = (whole: number, min: number, max: number): number => Math.min(Math.max(whole / 32, min), max);

export class EventIndex {
  readonly #segment: Segment;
  readonly #overlay: Overlay;
  readonly #pool: BitmapPool;
  readonly json: ListedJson;
  /** In bytes, without the overlay and the JSON. */
  readonly bytes: number;

  /** @param changed the events that have changed since `data` were read */
  constructor(data: SegmentData, json: JsonData, changed: ChangedVersions) {
    this.#segment = new Segment(data);
    this.#overlay = new Overlay(this.#segment);
    this.#pool = new BitmapPool(data.size);
    this.json = new ListedJson(json, changed);
    this.bytes = this.#segment.bytes;
  }

  get size(): number {
    return this.#segment.data.size - this.#segment.removed.length + this.#overlay.size;
  }

  /** Different words of the segment, at most `count`, in the order of their bytes. */
  sampleWords(count: number): string[] {
    const { words } = this.#segment.data;
    const step = Math.max(1, Math.floor((words.offsets.length - 1) / count));
    const length = Math.min(count, Math.floor((words.offsets.length - 1) / step));
    return Array.from({ length }, (_, i) => wordAt(words, i * step));
  }

  /** Whether so many events have changed that the index should be rebuilt. */
  get isOutgrown(): boolean {
    const changed = this.#overlay.size + this.#segment.removed.length;
    return (
      this.json.isOutdated ||
      changed > share(this.#segment.data.size, minChanged, maxChanged) ||
      this.#overlay.bytes > share(this.bytes, minOverlay, maxOverlay)
    );
  }

  /** Finds an event as lists show it; null if its JSON is not here. */
  findListed(id: string): Pick<ListElement, 'json' | 'place'> | null {
    const doc = this.#segment.find(packId(id), 0);
    const json = doc < 0 ? null : this.json.find(doc, id);
    return json && { json, place: this.#segment.coordinatesOf(doc) };
  }

  /** Converts a row for `apply`; a long text takes some milliseconds. */
  toEvent(row: IndexRow): OverlayEvent {
    return this.#overlay.toEvent(row);
  }

  /**
   * Replaces the events with these change keys in these places by their current rows, at once: a search between the removal
   * and the addition of an event would not find it.
   */
  apply(places: ListingKey[], changeKeys: Set<string>, events: OverlayEvent[]): void {
    for (const place of places) this.#segment.removeChanged(place, changeKeys);
    this.#overlay.removeChanged(places, changeKeys);
    for (const event of events) this.#overlay.add(event);
  }

  /** Whether the index has the events of all times, and not only those that had not ended when it was built. */
  get isComplete(): boolean {
    return this.#segment.data.endingAfter === Number.NEGATIVE_INFINITY;
  }

  /** Whether all events that a query can select are in the index. */
  #covers({ from }: Pick<ListQuery, 'from'>): boolean {
    return this.isComplete || (from !== null && from.getTime() >= this.#segment.data.endingAfter);
  }

  /**
   * The page of ids by grade, start and id, and the number of all matching events; null if the query asks for events of the
   * past that are not in the index.
   */
  search(query: ListQuery, { page, limit }: Slice): Page | null {
    if (!this.#covers(query)) return null;
    if (query.order === 'distance' && query.circle)
      return this.#searchNear({ ...query, circle: query.circle }, page * limit, limit);
    const { grades, added, total } = this.#match(query);
    const ids: string[] = [];
    let skip = (page - 1) * limit;
    for (const docs of skip < total && limit > 0 ? grades : []) {
      const events = added.shift() ?? [];
      const count = docs.size + events.length;
      if (skip < count) for (const id of this.#merge(docs, events, skip)) if (ids.push(id) === limit) break;
      if (ids.length === limit) break;
      skip = Math.max(skip - count, 0);
    }
    return { ids, total };
  }

  /** What a query finds, of each series the first occurrence alone if it says so. */
  #match(query: ListQuery): Matches {
    const { total, grades } = searchSegment(this.#segment, query, this.#pool);
    const added = this.#overlay.search(query);
    const all = { grades, added, total: added.reduce((sum, events) => sum + events.length, total) };
    return query.collapse ? collapse(this.#segment, all, 'series') : all;
  }

  /** @param wanted the number of events up to the end of the page */
  #searchNear(query: DistanceQuery, wanted: number, limit: number): Page {
    const count = (query: DistanceQuery) => this.#match(query).total;
    const total = count(query);
    if (total <= wanted - limit) return { ids: [], total };
    const near = smallestCircle(query, Math.min(wanted, total), count);
    // The nearest occurrence of a series is not always the first one.
    const { grades, added } = this.#match({ ...near, collapse: false });
    const events = added[0] ?? [];
    return { ids: listNearest(this.#segment, grades, events, near, wanted).slice(wanted - limit), total };
  }

  /** The words near a word, the nearest first; some of them may have no listed event any more. */
  nearWords(word: string, effort: Effort): NearWord[] {
    return listNearWords(this.#segment.data, this.#overlay, word, effort);
  }

  /** The clusters of the events that match now; events that change while it runs do not change them. Null as `search`. */
  async map(query: MapQuery): Promise<EventMap | null> {
    if (!this.#covers(query)) return null;
    return await clusterEvents(this.#segment, this.#overlay, query, this.#pool);
  }

  /** @returns null if the search would take long, or asks for ended occurrences that are not in the index */
  listByPeople(query: PeopleQuery): PeopleEvent[] | null {
    if (query.collapse && !this.#covers({ from: new Date(query.from) })) return null;
    return listByPeople(this.#segment, this.#overlay, query);
  }

  /** The ids of documents and events of the overlay in the order of start and id, without the first `skip`. */
  *#merge(docs: RecordSet, events: OverlayEvent[], skip: number): Generator<string> {
    let next = countBefore(docs, events, skip);
    let rank = skip - next;
    for (const doc of docs.from(rank)) {
      for (let event = events[next]; event && event.position <= doc; event = events[++next]) yield event.id;
      yield this.#segment.idOf(doc);
      rank++;
    }
    for (; next < events.length; next++) yield (events[next] as OverlayEvent).id;
  }
}

/** How many events of the overlay are among the first `skip` of the merged order, by binary search. */
function countBefore(docs: RecordSet, events: OverlayEvent[], skip: number): number {
  // The rank of an event in the merged order: the events and the documents before it.
  const rankOf = (i: number) => i + docs.rank((events[i] as OverlayEvent).position);
  return partitionPoint(events.length, (i) => rankOf(i) < skip);
}
