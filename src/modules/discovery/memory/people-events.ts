/** Lists the events that some people organize or go to. */
import { unpackId } from '#base';
import { hasBit } from '#record-index';
import type { Position } from '../../events/start-pages.ts';
import { inOrder, type Overlay, type OverlayEvent } from './overlay.ts';
import type { Segment } from './segment.ts';

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
  #pastDocs = 0;

  constructor(segment: Segment, overlay: Overlay, query: PeopleQuery) {
    this.#segment = segment;
    this.#overlay = overlay;
    this.#query = query;
    this.#first = segment.positionOf(query.after.start, query.after.id, true);
    this.#begun = segment.startingAfter(query.from);
  }

  /** @returns false if the people organize too many past events */
  addOrganized(person: number, place: number): boolean {
    let count = 0;
    for (const doc of this.#segment.docsOfPlace(place)) {
      if (doc < this.#begun && ++this.#pastDocs > maxPastDocs) return false;
      if (!this.#isShown(doc) || !hasBit(this.#segment.current, doc)) continue;
      this.#add(doc, person);
      // The page has no later event of this organizer.
      if (++count === this.#query.limit) break;
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
    if (doc < this.#first) return false;
    return doc >= this.#begun || (this.#segment.data.ends[doc] as number) > this.#query.from;
  }

  #isShownAdded(event: OverlayEvent): boolean {
    return event.end > this.#query.from && inOrder(event, this.#query.after) > 0;
  }

  #add(event: Found, part: number): void {
    const parts = this.#found.get(event);
    if (parts) parts.push(part);
    else this.#found.set(event, [part]);
  }

  page(): PeopleEvent[] {
    const { people, limit } = this.#query;
    const page = [...this.#found].sort(([a], [b]) => compare(a, b)).slice(0, limit);
    return page.map(([event, parts]) => {
      const shown = parts.sort((a, b) => a - b).slice(0, maxShownPeople);
      return {
        ...this.#positionOf(event),
        people: shown.map((part) => people[part % people.length] as string),
        reasonsCount: parts.length,
        isOrganizer: (shown[0] as number) < people.length,
      };
    });
  }

  #positionOf(event: Found): Position {
    if (typeof event === 'object') return { startAt: new Date(event.start), id: event.id };
    return {
      startAt: new Date(this.#segment.data.starts[event] as number),
      id: this.#segment.idOf(event),
    };
  }
}
