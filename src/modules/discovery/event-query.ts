/** The filters of event lists: from query parameters to the query that runs. */

import { invalid } from '../../lib/errors.ts';
import type { Circle } from '../../lib/grid-cells.ts';
import { readFrom, readUntil } from '../../lib/time.ts';
import { searchQuery } from '../events/search-words.ts';
import type { EventListQuery } from './schemas.ts';
import type { Filter } from './timeline-queries.ts';

export type EventQuery = Filter & {
  /** Radius in km. */
  circle: Circle | null;
  /** Selects events that end after `from`. */
  from: Date | null;
  /** Selects events that begin at or before `until`. */
  until: Date | null;
};

const defaultRadiusKm = 50;

/**
 * Reads the filters of a list. Without dates, the list has the events that have not ended by `now`.
 * @throws Problem `invalid_request` for parameters that require others, and for dates in the wrong order
 */
export function readEventQuery(query: Partial<EventListQuery>, now: Date): EventQuery {
  const { lat, lng, radius } = query;
  if (lat !== undefined && lng === undefined) throw invalid('lng', 'is required with lat');
  if (lng !== undefined && lat === undefined) throw invalid('lat', 'is required with lng');
  if (radius !== undefined && lat === undefined) throw invalid('radius', 'needs lat and lng');
  const from = readFrom(query.dateFrom);
  const until = readUntil(query.dateTo);
  if (from && until && until < from) throw invalid('dateTo', 'must not be before dateFrom');
  const q = query.q?.trim() ?? '';
  return {
    circle: lat !== undefined && lng !== undefined ? { lat, lng, radius: radius ?? defaultRadiusKm } : null,
    category: query.category || null,
    from: from ?? (until ? null : now),
    until,
    search: q === '' ? null : searchQuery(q),
  };
}
