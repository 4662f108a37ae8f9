/** Lists the events that some people organize or go to. */
import { unpackId } from '#base';
import { hasBit } from '#record-index';
import type { Position } from '../../events/start-pages.ts';
import { isInSeries } from './collapse.ts';
import { inOrder, type Overlay, type OverlayEvent } from './overlay.ts';
import type { Segment } from './segment.ts';
import { SeenSeries } from './series-columns.ts';

/** The length of an element of `rsvps`, in bytes. */
export const rsvpLength = 18;

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
  /** Of each series only the first of these events, before the page too. */
  collapse: boolean;
};

/**
 * `people`: ids of at most three; if `isOrganizer` is true, the first one organizes the event. `reasonsCount`: how many of
 * the people organize the event or go to it.
 */
export type PeopleEvent = Position & { people: string[]; reasonsCount: number; isOrganizer: boolean };

/** Past events that a query visits at most; each takes some nanoseconds. */
const maxPastDocs = 200_000;
const maxShownPeople = 3;

/**
 * Lists the next events in the order of start and id.
 * @returns null if the people organize so many past events that the search would take long
 */
export function listByPeople(segment: Segment, overlay: Overlay, query: PeopleQuery): PeopleEvent[] | null {
  const search = new PeopleSearch(segment, overlay, query);
  const places = query.people.map((id) => segment.organizerPlace(id));
  for (const [person, place] of places.entries()) if (!search.addOrganized(person, place)) return null;
  search.addOrganizedInOverlay();
  search.addRsvps(places);
  return search.page();
}

/** A document of the segment, or an event of the overlay. */
type Found = number | OverlayEvent;

/** Compares two events by start and id. */
function compare(a: Found, b: Found): number {
  if (typeof a === 'object') return typeof b === 'object' ? inOrder(a, b) : a.position <= b ? -1 : 1;
  return typeof b === 'object' ? -compare(b, a) : a - b;
}

class PeopleSearch {
  readonly #segment: Segment;
  readonly #overlay: Overlay;
  readonly #query: PeopleQuery;
  /** The people of each event: the position of the organizer in `people`, and those of guests plus its length. */
  readonly #found = new Map<Found, number[]>();
  /** Documents before `first` are before the page. */
  readonly #first: number;
  /** Documents from `begun` on start after `from`, so they end after it. */
  readonly #begun: number;
  readonly #keys: SeenSeries;
  /** The series of which the overlay has occurrences. */
  readonly #changedSeries = new Set<number | string>();
  #pastDocs = 0;

  constructor(segment: Segment, overlay: Overlay, query: PeopleQuery) {
    this.#segment = segment;
    this.#overlay = overlay;
    this.#query = query;
    this.#first = segment.positionOf(query.after.start, query.after.id, true);
    this.#begun = segment.startingAfter(query.from);
    this.#keys = new SeenSeries(segment.data.series, 'series');
    if (query.collapse)
      for (const event of overlay.events)
        if (isInSeries(event)) this.#changedSeries.add(this.#keys.keyOfEvent(event));
  }

  /** Of an occurrence, if series collapse; null for other events. */
  #seriesOf(event: Found): number | string | null {
    if (!this.#query.collapse) return null;
    if (typeof event === 'object') return isInSeries(event) ? this.#keys.keyOfEvent(event) : null;
    const { docs } = this.#segment.data.series;
    return docs.length > 0 && hasBit(docs, event) ? this.#keys.keyOfDoc(event) : null;
  }

  /** @returns false if the people organize too many past events */
  addOrganized(person: number, place: number): boolean {
    let count = 0;
    const counted = new Set(this.#changedSeries);
    for (const doc of this.#segment.docsOfPlace(place)) {
      if (doc < this.#begun && ++this.#pastDocs > maxPastDocs) return false;
      if (!this.#isShown(doc) || !hasBit(this.#segment.current, doc)) continue;
      this.#add(doc, person);
      const series = this.#seriesOf(doc);
      const isFirst = series === null || counted.size < counted.add(series).size;
      // The page has no later event of this organizer.
      if (isFirst && doc >= this.#first && ++count === this.#query.limit) break;
    }
    return true;
  }

  addOrganizedInOverlay(): void {
    const persons = new Map(this.#query.people.map((id, person) => [id, person]));
    for (const event of this.#overlay.events) {
      const person = persons.get(event.organizerId);
      if (person !== undefined && this.#isShownAdded(event)) this.#add(event, person);
    }
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
        this.#add(doc, people.length + person);
      } else if (this.#overlay.size > 0) {
        const event = this.#overlay.find(unpackId(rsvps, i + 2));
        if (!event || !this.#isShownAdded(event)) continue;
        if (event.organizerId === people[person] || hiddenIds.has(event.organizerId)) continue;
        this.#add(event, people.length + person);
      }
    }
  }

  #isShown(doc: number): boolean {
    if (doc < this.#first && this.#seriesOf(doc) === null) return false;
    return doc >= this.#begun || (this.#segment.data.ends[doc] as number) > this.#query.from;
  }

  #isShownAdded(event: OverlayEvent): boolean {
    const isAfter = inOrder(event, this.#query.after) > 0 || this.#seriesOf(event) !== null;
    return event.end > this.#query.from && isAfter;
  }

  #add(event: Found, part: number): void {
    const parts = this.#found.get(event);
    if (parts) parts.push(part);
    else this.#found.set(event, [part]);
  }

  page(): PeopleEvent[] {
    const { people, limit } = this.#query;
    const shown = [...this.#found]
      .sort(([a], [b]) => compare(a, b))
      .filter(([event]) => this.#isOnPage(event));
    return shown.slice(0, limit).map(([event, parts]) => {
      const shown = parts.sort((a, b) => a - b).slice(0, maxShownPeople);
      return {
        ...this.#positionOf(event),
        people: shown.map((part) => people[part % people.length] as string),
        reasonsCount: parts.length,
        isOrganizer: (shown[0] as number) < people.length,
      };
    });
  }

  /** For each event in their order: the first one of a series may be on a page before. */
  #isOnPage(event: Found): boolean {
    const series = this.#seriesOf(event);
    if (series === null) return true;
    if (!this.#keys.add(series)) return false;
    return typeof event === 'object' ? inOrder(event, this.#query.after) > 0 : event >= this.#first;
  }

  #positionOf(event: Found): Position {
    if (typeof event === 'object') return { startAt: new Date(event.start), id: event.id };
    return {
      startAt: new Date(this.#segment.data.starts[event] as number),
      id: this.#segment.idOf(event),
    };
  }
}
