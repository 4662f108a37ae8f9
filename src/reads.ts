/**
 * What nearly every request reads by key. Whoever asks while the database is busy shares a statement with the others
 * who do; sessions, events and people are also kept in memory, as long as the record of changes does not name them.
 */

import type { ChangeLog } from './cache/change-log.ts';
import { createRecordCache } from './cache/record-cache.ts';
import { createLoader } from './db/batching.ts';
import type { Database } from './db/client.ts';
import type { Viewer } from './identity/caller.ts';
import { type LiveSession, listLiveSessions, sessionKey } from './identity/sessions.ts';
import type { TokenIds } from './identity/tokens.ts';
import type { EventRow, ViewerState, ViewerStateWithBooking } from './modules/events/present.ts';
import {
  listEventRows,
  listViewerStates,
  listViewerStatesWithBookings,
  type ViewerStateKey,
} from './modules/events/repo.ts';
import type { ItemRow, MyClaim } from './modules/items/present.ts';
import { listItems, listMyClaims } from './modules/items/repo.ts';
import type { PersonRow } from './modules/users/present.ts';
import { listBlocked, listPeople } from './modules/users/repo.ts';

/** An event, and what of its answers is the same for everybody, once it was asked for (events/bytes.ts). */
export type CachedEvent = {
  row: EventRow;
  full: { organizer: PersonRow | null; json: string; hash: string } | null;
  listed: Buffer | null;
};

export type ViewerStatesKey = { userId: string; eventIds: string[] };

export type Reads = {
  session(ids: TokenIds): Promise<LiveSession | null>;
  /** Looks at the changes, for whoever asks in nobody's request. */
  catchUp(): Promise<void>;
  /** Whoever has a viewer has looked at the changes. */
  event(id: string, viewer: Viewer | null): Promise<CachedEvent | null>;
  /** For a request that has looked at the changes, as every request with a token has when its session is known. */
  known: {
    session(ids: TokenIds): LiveSession | Promise<LiveSession | null>;
    event(id: string): CachedEvent | Promise<CachedEvent | null>;
    person(id: string): PersonRow | Promise<PersonRow | null>;
  };
  /** What a person has to do with an event, a booking with it. */
  mine(key: ViewerStateKey): Promise<ViewerStateWithBooking>;
  /** The same for the events of a list, in its order, without bookings. */
  viewerStatesOf(key: ViewerStatesKey): Promise<ViewerState[]>;
  /** In the order in which they were added. */
  items(eventId: string): Promise<ItemRow[]>;
  /** A person's claims on an event, by the item's n. */
  myClaims(key: ViewerStateKey): Promise<Map<number, MyClaim>>;
  /** Ids of the people whom a person blocked. */
  blocked(userId: string): Promise<string[]>;
};

/** About 4 KB each. */
const maxEvents = 50_000;
/** About 300 bytes each. */
const maxPeople = 50_000;
/** About 400 bytes each. */
const maxSessions = 50_000;
/** A list has up to 50 events. */
const maxLists = 32;

export function openReads(db: Database, changes: ChangeLog): Reads {
  const session = createRecordCache<LiveSession>(changes, {
    most: maxSessions,
    read: (keys) => listLiveSessions(db, keys),
    idOf: ({ userId, id }) => sessionKey({ userId, sessionId: id }),
  });
  const known = {
    session: (ids: TokenIds) => session(sessionKey(ids)),
    event: createRecordCache<CachedEvent>(changes, {
      most: maxEvents,
      read: async (ids) => (await listEventRows(db, ids)).map(toCachedEvent),
      idOf: ({ row }) => row.id,
    }),
    person: createRecordCache<PersonRow>(changes, {
      most: maxPeople,
      read: (ids) => listPeople(db, ids),
      idOf: ({ id }) => id,
    }),
  };
  const itself = (id: string) => id;
  return {
    known,
    catchUp: () => changes.catchUp(),
    event: async (id, viewer) => {
      if (!viewer) await changes.catchUp();
      return known.event(id);
    },
    session: async (ids) => {
      await changes.catchUp();
      return known.session(ids);
    },
    mine: createLoader((keys: ViewerStateKey[]) => listViewerStatesWithBookings(db, keys), {
      keyOf: mineKey,
    }),
    viewerStatesOf: createLoader(
      async (keys: ViewerStatesKey[]) => {
        const each = keys.flatMap(({ userId, eventIds }) => eventIds.map((eventId) => ({ userId, eventId })));
        const all = await listViewerStates(db, each);
        return keys.map(({ eventIds }) => all.splice(0, eventIds.length));
      },
      { keyOf: ({ userId, eventIds }) => userId + eventIds.join(''), most: maxLists },
    ),
    items: createLoader(
      async (ids: string[]) => {
        const rows = Map.groupBy(await listItems(db, ids), ({ eventId }) => eventId);
        return ids.map((id) => rows.get(id) ?? []);
      },
      { keyOf: itself },
    ),
    myClaims: createLoader(
      async (keys: ViewerStateKey[]) => {
        const rows = Map.groupBy(await listMyClaims(db, keys), mineKey);
        return keys.map((key) => new Map(rows.get(mineKey(key))?.map((claim) => [claim.n, claim])));
      },
      { keyOf: mineKey },
    ),
    blocked: createLoader(
      async (ids: string[]) => {
        const rows = Map.groupBy(await listBlocked(db, ids), ({ userId }) => userId);
        return ids.map((id) => rows.get(id)?.map(({ otherId }) => otherId) ?? []);
      },
      { keyOf: itself },
    ),
  };
}

/** As a request that just wrote it has it. */
export const toCachedEvent = (row: EventRow): CachedEvent => ({ row, full: null, listed: null });

const mineKey = ({ eventId, userId }: ViewerStateKey) => eventId + userId;
