import type { UserServices } from '../users/services.ts';
import { createGuestCheck, type GuestCheck } from './audience.ts';
import { createEventCache, type EventCache } from './event-cache.ts';
import { PreloadedEvents } from './preload/preloaded-events.ts';
import { createViewerStates, type ViewerStates } from './viewer-states.ts';

export type EventServices = UserServices & {
  events: EventCache;
  preloadedEvents: PreloadedEvents;
  viewerStates: ViewerStates;
  isGuest: GuestCheck;
};

/** The share of the memory for caches that preloaded events may take. */
const preloadShare = 0.15;

export const createEventServices = ({ db, changeLog, replicas, config, log }: UserServices) => ({
  events: createEventCache({ changeLog, replicas }, config.cacheBytes),
  preloadedEvents: new PreloadedEvents({
    db,
    changeLog,
    log,
    publicUrl: config.publicUrl,
    maxBytes: config.cacheBytes * preloadShare,
  }),
  viewerStates: createViewerStates(db),
  isGuest: createGuestCheck(db),
});
