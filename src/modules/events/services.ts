import type { UserServices } from '../users/services.ts';
import { createEventCache, type EventCache } from './event-cache.ts';
import { createViewerStates, type ViewerStates } from './viewer-states.ts';

export type EventServices = UserServices & { events: EventCache; viewerStates: ViewerStates };

export const createEventServices = ({ db, changeLog, config }: UserServices) => ({
  events: createEventCache(db, changeLog, config.cacheBytes),
  viewerStates: createViewerStates(db),
});
