/** Finds events for a viewer. */
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { CachedEvent } from './event-cache.ts';
import type { EventServices } from './services.ts';
import { isVisibleTo } from './standings.ts';

type Services = Pick<EventServices, 'events' | 'isInvited'>;

/** @returns null unless the event exists and the viewer may see it */
export async function findVisibleEvent(
  { events, isInvited }: Services,
  id: string,
  viewer: Viewer | null,
): Promise<CachedEvent | null> {
  const event = await events.find(id);
  return (await isVisibleTo(isInvited, id, event?.row, viewer)) ? event : null;
}

/** @throws Problem `event_not_found` unless the event exists and the viewer may see it */
export async function requireVisibleEvent(
  services: Services,
  id: string,
  viewer: Viewer | null,
): Promise<CachedEvent> {
  const event = await findVisibleEvent(services, id, viewer);
  if (!event) throw new Problem('event_not_found');
  return event;
}
