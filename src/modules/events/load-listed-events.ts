import type { Viewer } from '../../identity/caller.ts';
import type { Listed } from '../discovery/event-lists.ts';
import type { EventRow } from './present.ts';
import type { EventServices } from './services.ts';

/**
 * @param isShown says no to what was hidden or changed since it was found; what was deleted is left out at any rate
 * @returns in the order of the ids, with the viewer's own fields; null for what is left out
 */
export async function loadListedEvents(
  { events: cache, viewerStates }: Pick<EventServices, 'events' | 'viewerStates'>,
  ids: string[],
  viewer: Viewer | null,
  isShown: (event: EventRow) => boolean,
): Promise<(Listed | null)[]> {
  const [mine, events] = await Promise.all([
    viewer && ids.length > 0 ? viewerStates.findMany({ userId: viewer.id, eventIds: ids }) : null,
    // Without a viewer, nobody has looked at the changes yet.
    Promise.all(ids.map((id) => cache.find(id, viewer))),
  ]);
  return events.map((event, i) =>
    event && isShown(event.row) ? { event, distanceKm: null, mine: mine?.[i] ?? null } : null,
  );
}
