/** Shows events with their exact places to people who may read them. */
import type { Queryable } from '#pg';
import { type CachedEvent, toCachedEvent } from './event-cache.ts';
import { versionOfEvent } from './event-rules.ts';
import { findExactPlace, listExactPlacesFor, type Reader, withExactPlace } from './exact-place.ts';
import type { EventRow } from './present.ts';

/** The events as a person may see them. @param reader null for a request without a token */
export async function showPlaces(
  db: Queryable,
  events: CachedEvent[],
  reader: Reader | null,
): Promise<CachedEvent[]> {
  const hiding = reader ? events.filter(({ row }) => row.isAddressHidden) : [];
  if (!reader || hiding.length === 0) return events;
  const ids = hiding.map(({ row }) => row.id);
  const places = await listExactPlacesFor(db, reader, ids);
  return events.map((event) => {
    const place = places.get(event.row.id);
    return place ? toCachedEvent(withExactPlace(event.row, place)) : event;
  });
}

/** As `showPlaces`, for one event. */
export async function showPlace(
  db: Queryable,
  event: CachedEvent,
  reader: Reader | null,
): Promise<CachedEvent> {
  const [shown = event] = await showPlaces(db, [event], reader);
  return shown;
}

/** The version of a locked event for the `If-Match` of its organizer, who reads the exact place. */
export const versionAsEntered = async (tx: Queryable, event: EventRow): Promise<string> =>
  versionOfEvent(withExactPlace(event, event.isAddressHidden ? await findExactPlace(tx, event.id) : null));
