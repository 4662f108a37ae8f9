import type { Viewer } from '../../identity/caller.ts';
import type { CachedEvent } from './event-cache.ts';
import type { EventRow, ViewerState } from './present.ts';
import type { EventServices } from './services.ts';

/**
 * An element of a list of events. `distanceKm` is null unless the list is around a place; `viewerState` is null without
 * a token.
 */
export type ListElement = { event: CachedEvent; distanceKm: number | null; viewerState: ViewerState | null };

/**
 * Loads the events of a page, with the viewer's RSVPs and saved flags.
 * @param isIncluded excludes events that were hidden or changed after the page was queried
 * @returns an element for each id, in the same order; null for an event that is excluded or deleted
 */
export async function loadListedEvents(
  { events: cache, viewerStates }: Pick<EventServices, 'events' | 'viewerStates'>,
  ids: string[],
  viewer: Viewer | null,
  isIncluded: (event: EventRow) => boolean,
): Promise<(ListElement | null)[]> {
  const [states, events] = await Promise.all([
    viewer && ids.length > 0 ? viewerStates.findMany({ userId: viewer.id, eventIds: ids }) : null,
    Promise.all(ids.map((id) => cache.find(id, viewer))),
  ]);
  return events.map((event, i) =>
    event && isIncluded(event.row) ? { event, distanceKm: null, viewerState: states?.[i] ?? null } : null,
  );
}
