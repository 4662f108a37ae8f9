/** Caches events with their serialized fragments; the change log keeps them current. */
import type { ChangeLog } from '../../cache/change-log.ts';
import { createRecordCache } from '../../cache/record-cache.ts';
import type { Database } from '../../db/client.ts';
import type { Viewer } from '../../identity/caller.ts';
import type { PersonRow } from '../users/present.ts';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';

/**
 * An event with its serialized fragments, which event-serializer.ts fills on first use.
 * `record`: the open JSON object of the `Event` record, for this organizer, and its hash.
 * `listed`: the open JSON object of the event in lists.
 */
export type CachedEvent = {
  row: EventRow;
  record: { organizer: PersonRow | null; json: string; hash: string } | null;
  listed: Buffer | null;
};

export type EventCache = {
  /**
   * Finds an event; null for an unknown id. Reads the change log first if there is no viewer: authentication has read
   * it for requests with a token only.
   */
  find(id: string, viewer: Viewer | null): Promise<CachedEvent | null>;
  /** Finds an event, for a request that has read the change log. */
  findCurrent(id: string): CachedEvent | Promise<CachedEvent | null>;
};

/** About 4 KB each. */
const maxEvents = 50_000;

export function createEventCache(db: Database, changeLog: ChangeLog): EventCache {
  const findCurrent = createRecordCache<CachedEvent>(changeLog, {
    maxRecords: maxEvents,
    read: async (ids) => (await listEventRows(db, ids)).map(toCachedEvent),
    idOf: ({ row }) => row.id,
  });
  return {
    findCurrent,
    find: async (id, viewer) => {
      if (!viewer) await changeLog.catchUp();
      return findCurrent(id);
    },
  };
}

export const toCachedEvent = (row: EventRow): CachedEvent => ({ row, record: null, listed: null });
