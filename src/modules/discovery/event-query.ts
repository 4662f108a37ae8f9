/** The filters of event lists: from query parameters to the query that runs. */
import { dayMs, parseDay, readFrom, readUntil } from '#base';
import type { Box, Circle } from '#record-index';
import { parseBox } from '../../lib/coordinates.ts';
import { invalid } from '../../lib/errors.ts';
import { type Search, searchQuery } from '../events/search-words.ts';
import type { EventListQuery } from './schemas.ts';
import { readTraits, type Trait } from './traits.ts';

export type EventQuery = {
  /** Radius in km. */
  circle: Circle | null;
  box: Box | null;
  category: string | null;
  /** Selects events that end after `from`. */
  from: Date | null;
  /** Selects events that begin at or after `since`. */
  since: Date | null;
  /** Selects events that begin at or before `until`. */
  until: Date | null;
  days: Days;
  search: Search | null;
  /** Selects events that have all of these traits. */
  traits: Trait[];
  /** Shows of each series only the first occurrence of the list. */
  collapse: boolean;
};

/**
 * The bounds that are dates without a time, in days since 1970-01-01. They select an all-day event by its days in its own zone; other
 * events are selected by the instants of the bounds, which are in UTC.
 */
export type Days = {
  /** The last day is this one or a later one. */
  from: number | null;
  /** The first day is this one or a later one. */
  since: number | null;
  /** The first day is this one or an earlier one. */
  until: number | null;
};
export const noDays: Days = { from: null, since: null, until: null };

/** `start`: by start and id; `relevance`: by the grade of the match, and `distance`: by that from the centre of `circle`, then by start and id. */
export type Order = 'start' | 'relevance' | 'distance';

/** What a list selects, and in which order. `hiddenOrganizers`: ids of people whose events are left out. */
export type ListQuery = EventQuery & { order: Order; hiddenOrganizers: string[] };
export type Slice = { page: number; limit: number };
export type Page = { ids: string[]; total: number };

const defaultRadiusKm = 50;
/** A list by distance compares all events that are nearer than those of its page. */
const maxByDistance = 10_000;

/**
 * Reads the order of a list with numbered pages.
 * @throws Problem `invalid_request` for an order by distance without a place, and for its pages after the first 10,000 events
 */
export function readOrder(order: Order = 'start', { lat, page, limit, cursor }: EventListQuery): Order {
  if (cursor !== undefined) throw invalid('cursor', 'requires order=updated');
  if (order !== 'distance') return order;
  if (lat === undefined) throw invalid('lat', 'is required with order=distance', 'required');
  if (page * limit > maxByDistance)
    throw invalid('page', `must be at most ${Math.floor(maxByDistance / limit)} with order=distance`);
  return order;
}

/**
 * Reads the filters of a list. Without dates, the list has the events that have not ended by `now`.
 * @throws Problem `invalid_request` for parameters that require others, and for dates in the wrong order
 */
export function readEventQuery(query: Partial<EventListQuery>, now: Date): EventQuery {
  const circle = readCircle(query);
  const from = readFrom(query.dateFrom);
  const until = readUntil(query.dateTo);
  if (from && until && until < from) throw invalid('dateTo', 'must not be before dateFrom');
  const [startFrom, startTo] = [readFrom(query.startFrom), readUntil(query.startTo)];
  if (startFrom && startTo && startTo < startFrom) throw invalid('startTo', 'must not be before startFrom');
  const q = query.q?.trim() ?? '';
  return {
    circle,
    box: query.bbox === undefined ? null : readBox(query.bbox),
    category: query.category || null,
    from: from ?? (until ? null : now),
    since: startFrom,
    until: earlier(until, startTo),
    days: {
      from: readDay(query.dateFrom),
      since: readDay(query.startFrom),
      until: earlier(readDay(query.dateTo), readDay(query.startTo)),
    },
    search: q === '' ? null : searchQuery(q),
    traits: readTraits(query),
    // Calendars ignore the parameter, so each list reads it.
    collapse: false,
  };
}

const earlier = <T extends Date | number>(a: T | null, b: T | null): T | null =>
  a !== null && b !== null ? (a < b ? a : b) : (a ?? b);

/** The number of a date; null for a timestamp. */
function readDay(text: string | undefined): number | null {
  const day = text === undefined ? null : parseDay(text);
  return day && day.getTime() / dayMs;
}

/** @throws Problem `invalid_request` if the text is not a box */
export function readBox(bbox: string): Box {
  const box = parseBox(bbox);
  if (!box) throw invalid('bbox', 'is not a box');
  return box;
}

function readCircle({ lat, lng, radius }: Partial<EventListQuery>): Circle | null {
  if (lat !== undefined && lng === undefined) throw invalid('lng', 'is required with lat');
  if (lng !== undefined && lat === undefined) throw invalid('lat', 'is required with lng');
  if (radius !== undefined && lat === undefined) throw invalid('radius', 'needs lat and lng');
  return lat === undefined || lng === undefined ? null : { lat, lng, radius: radius ?? defaultRadiusKm };
}
