/** Lists the events that some people organize or go to. */
import { hasBit } from '../../../lib/bitmap.ts';
import { idAt } from '../../../lib/id-table.ts';
import { inOrder, type Overlay, type OverlayEvent } from './overlay.ts';
import type { Segment } from './segment.ts';

/** The length of an element of `rsvps`, in bytes. */
export const rsvpLength = 18;
/** The maximum number of people of a query. */
export const maxPeople = 100;

export type PeopleQuery = {
  /** Ids, ascending. */
  people: string[];
  /**
   * An element for each RSVP of `going` that counts: the position of the person in `people`, in two bytes, the most
   * significant one first, and the id of the event, in 16 bytes.
   */
  rsvps: Uint8Array;
  /** None of `people`. RSVPs to their events do not count. */
  hiddenOrganizers: string[];
  /** In ms: events that end after `from`. */
  from: number;
  /** Events after this start and id. */
  after: { start: number; id: string };
  limit: number;
};

/** `people`: ids of at most three, the organizer first. `count`: how many of the people organize the event or go to it. */
export type PeopleEvent = {
  id: string;
  start: number;
  people: string[];
  count: number;
  isOrganizer: boolean;
};

/** Past events that a query visits at most; each takes some nanoseconds. */
const maxPastDocs = 200_000;
const maxShownPeople = 3;
/** A power of two above `2 * maxPeople`. */
const partsPerRank = 256;

/**
 * Lists the next events in the order of start and id.
 * @returns null if the people organize so many past events that the search would take long
 */
export function listByPeople(segment: Segment, overlay: Overlay, query: PeopleQuery): PeopleEvent[] | null {
  const search = new PeopleSearch(segment, overlay, query);
  const places = query.people.map((id) => segment.organizerPlace(id));
  for (const [person, place] of places.entries()) if (!search.addOrganized(person, place)) return null;
  search.addRsvps(places);
  return search.page();
}

/**
 * Collects the people and their events as numbers, whose order is that of the page: first the rank of the event, then
 * the part, which is the position of the organizer in `people`, or `maxPeople` and the position of a guest. The rank of
 * an event of the overlay lies between those of the documents before and after it.
 */
class PeopleSearch {
  readonly #segment: Segment;
  readonly #overlay: Overlay;
  readonly #query: PeopleQuery;
  readonly #keys: number[] = [];
  /** Documents before `first` are before the page. */
  readonly #first: number;
  /** Documents from `begun` on start after `from`, so they end after it. */
  readonly #begun: number;
  /** The ranks of a document: one for each event of the overlay that may be before it, and the last one for itself. */
  readonly #ranksPerDoc: number;
  #pastDocs = 0;

  constructor(segment: Segment, overlay: Overlay, query: PeopleQuery) {
    this.#segment = segment;
    this.#overlay = overlay;
    this.#query = query;
    this.#first = segment.positionOf(query.after.start, query.after.id, true);
    this.#begun = segment.startingAfter(query.from);
    this.#ranksPerDoc = overlay.size + 1;
  }

  /** @returns false if the people organize too many past events */
  addOrganized(person: number, place: number): boolean {
    let count = 0;
    for (const doc of this.#segment.docsOfPlace(place)) {
      if (doc < this.#begun && ++this.#pastDocs > maxPastDocs) return false;
      if (!this.#isShown(doc) || hasBit(this.#segment.removed, doc)) continue;
      this.#addDoc(doc, person);
      // The page has no later event of this organizer.
      if (++count === this.#query.limit) break;
    }
    for (const event of this.#overlay.ofOrganizer(this.#query.people[person] as string)) {
      if (this.#isShownAdded(event)) this.#addAdded(event, person);
    }
    return true;
  }

  /** @param places the positions of the people in the column of organizers */
  addRsvps(places: number[]): void {
    const { rsvps, hiddenOrganizers, people } = this.#query;
    const { organizerOfDoc } = this.#segment.data;
    const hiddenIds = new Set(hiddenOrganizers);
    const hiddenPlaces = new Set(hiddenOrganizers.map((id) => this.#segment.organizerPlace(id)));
    for (let i = 0; i < rsvps.length; i += rsvpLength) {
      const person = ((rsvps[i] as number) << 8) | (rsvps[i + 1] as number);
      const doc = this.#segment.find(rsvps, i + 2);
      if (doc >= 0) {
        const organizer = organizerOfDoc[doc] as number;
        if (!this.#isShown(doc) || organizer === places[person] || hiddenPlaces.has(organizer)) continue;
        this.#addDoc(doc, maxPeople + person);
      } else if (this.#overlay.size > 0) {
        const event = this.#overlay.find(idAt(rsvps, i + 2));
        if (!event || !this.#isShownAdded(event)) continue;
        if (event.organizerId === people[person] || hiddenIds.has(event.organizerId)) continue;
        this.#addAdded(event, maxPeople + person);
      }
    }
  }

  #isShown(doc: number): boolean {
    if (doc < this.#first) return false;
    return doc >= this.#begun || (this.#segment.data.ends[doc] as number) > this.#query.from;
  }

  #isShownAdded(event: OverlayEvent): boolean {
    return event.end > this.#query.from && inOrder(event, this.#query.after) > 0;
  }

  #addDoc(doc: number, part: number): void {
    this.#keys.push(((doc + 1) * this.#ranksPerDoc - 1) * partsPerRank + part);
  }

  #addAdded(event: OverlayEvent, part: number): void {
    const rank = event.position * this.#ranksPerDoc + this.#overlay.placeOf(event);
    this.#keys.push(rank * partsPerRank + part);
  }

  page(): PeopleEvent[] {
    const keys = Float64Array.from(this.#keys).sort();
    const page: PeopleEvent[] = [];
    for (let begin = 0; begin < keys.length && page.length < this.#query.limit; ) {
      const rank = Math.floor((keys[begin] as number) / partsPerRank);
      let end = begin + 1;
      while (end < keys.length && (keys[end] as number) < (rank + 1) * partsPerRank) end++;
      page.push(this.#toEvent(rank, keys.subarray(begin, end)));
      begin = end;
    }
    return page;
  }

  #toEvent(rank: number, keys: Float64Array): PeopleEvent {
    const parts = Array.from(keys.subarray(0, maxShownPeople), (key) => key % partsPerRank);
    const people = parts.map((part) => this.#query.people[part % maxPeople] as string);
    return {
      ...this.#positionOf(rank),
      people,
      count: keys.length,
      isOrganizer: (parts[0] as number) < maxPeople,
    };
  }

  #positionOf(rank: number): { id: string; start: number } {
    const doc = Math.floor(rank / this.#ranksPerDoc);
    const place = rank % this.#ranksPerDoc;
    if (place < this.#overlay.size) {
      const { id, start } = this.#overlay.at(place);
      return { id, start };
    }
    return { id: this.#segment.idOf(doc), start: this.#segment.data.starts[doc] as number };
  }
}
