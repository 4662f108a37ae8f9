import { unlessLate } from '#fresh-records';
import type { Viewer } from '../../identity/caller.ts';
import { type ListElement, listedJson } from '../events/event-serializer.ts';
import type { EventRow } from '../events/present.ts';
import type { EventServices } from '../events/services.ts';
import type { CurrentIndex } from './memory/current-index.ts';

type Services = Pick<EventServices, 'events' | 'viewerStates' | 'config'> & {
  discoveryIndex: CurrentIndex | null;
};

/**
 * Loads the events of a page, with the viewer's RSVPs and saved flags.
 * @param isIncluded excludes events that were hidden or changed after the page was queried. It must include all events
 *   that are listed
 * @returns an element for each id, in the same order; null for an event that is excluded or deleted, or late: one
 *   event must not prevent the lists that have it
 */
export async function loadListedEvents(
  { events, discoveryIndex, viewerStates, config }: Services,
  ids: string[],
  viewer: Viewer | null,
  isIncluded: (event: EventRow) => boolean,
): Promise<(ListElement | null)[]> {
  const load = async (id: string) => {
    const event = await unlessLate(events.find(id));
    if (!event || !isIncluded(event.row)) return null;
    const { lat, lng } = event.row;
    return { json: listedJson(event, config.publicUrl), place: { lat, lng } };
  };
  const found = await Promise.all(ids.map((id) => discoveryIndex?.loaded?.findListed(id) ?? load(id)));
  // Read after the events: where a node shows the newest version of an event, it shows the viewer's RSVP as well.
  const states =
    viewer && ids.length > 0 ? await viewerStates.findMany({ userId: viewer.id, eventIds: ids }) : null;
  return found.map((event, i) => event && { ...event, distanceKm: null, viewerState: states?.[i] ?? null });
}
