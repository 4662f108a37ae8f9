/** Events in memory with their serialized form, verified against the change log on each request. */
import type { ChangeLog } from '../../cache/change-log.ts';
import { createRecordCache } from '../../cache/record-cache.ts';
import type { Database } from '../../db/client.ts';
import type { Viewer } from '../../identity/caller.ts';
import type { PersonRow } from '../users/present.ts';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';

/** An event, and the parts of its JSON that are the same for every caller, once they were needed (event-serializer.ts). */
export type CachedEvent = {
  row: EventRow;
  full: { organizer: PersonRow | null; json: string; hash: string } | null;
  listed: Buffer | null;
};

export type EventCache = {
  /** Null for an unknown id. Reads the change log first if the request has no caller, and so has not read it yet. */
  find(id: string, viewer: Viewer | null): Promise<CachedEvent | null>;
  /** The same for a request that has read the change log. */
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

export const toCachedEvent = (row: EventRow): CachedEvent => ({ row, full: null, listed: null });
