/** Loads the viewer's own fields of events: RSVP, saved flag and booking. Concurrent requests share statements. */
import { createLoader, type Database } from '#pg';
import type { ViewerState, ViewerStateOfRecord } from './present.ts';
import { listViewerStates, listViewerStatesOfRecords, type ViewerStateKey } from './repo.ts';

export type ViewerStates = {
  /** The state for one event, with the booking. */
  find(key: ViewerStateKey): Promise<ViewerStateOfRecord>;
  /** The states for the events of a list, in its order, without bookings. */
  findMany(key: { userId: string; eventIds: string[] }): Promise<ViewerState[]>;
};

/** A list has up to 50 events. */
const maxListsPerStatement = 32;

export function createViewerStates(db: Database): ViewerStates {
  return {
    find: createLoader((keys: ViewerStateKey[]) => listViewerStatesOfRecords(db, keys), {
      keyOf: ({ eventId, userId }) => eventId + userId,
    }),
    findMany: createLoader(
      async (keys: { userId: string; eventIds: string[] }[]) => {
        const each = keys.flatMap(({ userId, eventIds }) => eventIds.map((eventId) => ({ userId, eventId })));
        const all = await listViewerStates(db, each);
        return keys.map(({ eventIds }) => all.splice(0, eventIds.length));
      },
      { keyOf: ({ userId, eventIds }) => userId + eventIds.join(''), maxBatchSize: maxListsPerStatement },
    ),
  };
}
