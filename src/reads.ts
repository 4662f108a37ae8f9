/**
 * What nearly every request reads by key. Whoever asks while the database is busy shares a statement with the others
 * who do, and nothing is remembered in between: each answer is as new as the request.
 */
import { type LiveSession, listLiveSessions } from './auth/queries.ts';
import type { TokenIds } from './auth/tokens.ts';
import { coalesceReads } from './db/coalesce.ts';
import type { Sql } from './db/connect.ts';
import { listEventRows, listMine, type MineKey } from './events/queries.ts';
import type { EventRow, Mine } from './events/views.ts';
import { listItems, listMyClaims } from './items/queries.ts';
import type { ItemRow, MyClaim } from './items/views.ts';
import { listBlocked, listPeople } from './users/queries.ts';
import type { PersonRow } from './users/views.ts';

export type Reads = {
  session(ids: TokenIds): Promise<LiveSession | null>;
  event(id: string): Promise<EventRow | null>;
  /** What a person has to do with an event. */
  mine(key: MineKey): Promise<Mine>;
  /** In the order in which they were added. */
  items(eventId: string): Promise<ItemRow[]>;
  /** A person's claims on an event, by the item's n. */
  myClaims(key: MineKey): Promise<Map<number, MyClaim>>;
  person(id: string): Promise<PersonRow | null>;
  /** Ids of the people whom a person blocked. */
  blocked(userId: string): Promise<string[]>;
};

/** A page has up to 50 rows, so what is read for pages has room for several. */
const mostRows = 500;

export function openReads(sql: Sql): Reads {
  const itself = (id: string) => id;
  return {
    session: coalesceReads(
      async (ids: TokenIds[]) => inOrder(ids, sessionKey, await listLiveSessions(sql, ids), ({ id }) => id),
      { keyOf: sessionKey },
    ),
    event: coalesceReads(
      async (ids: string[]) => inOrder(ids, itself, await listEventRows(sql, ids), ({ id }) => id),
      { keyOf: itself, most: mostRows },
    ),
    mine: coalesceReads((keys: MineKey[]) => listMine(sql, keys), { keyOf: mineKey, most: mostRows }),
    items: coalesceReads(
      async (ids: string[]) => {
        const rows = Map.groupBy(await listItems(sql, ids), ({ eventId }) => eventId);
        return ids.map((id) => rows.get(id) ?? []);
      },
      { keyOf: itself },
    ),
    myClaims: coalesceReads(
      async (keys: MineKey[]) => {
        const rows = Map.groupBy(await listMyClaims(sql, keys), mineKey);
        return keys.map((key) => new Map(rows.get(mineKey(key))?.map((claim) => [claim.n, claim])));
      },
      { keyOf: mineKey },
    ),
    person: coalesceReads(
      async (ids: string[]) => inOrder(ids, itself, await listPeople(sql, ids), ({ id }) => id),
      { keyOf: itself },
    ),
    blocked: coalesceReads(
      async (ids: string[]) => {
        const rows = Map.groupBy(await listBlocked(sql, ids), ({ userId }) => userId);
        return ids.map((id) => rows.get(id)?.map(({ otherId }) => otherId) ?? []);
      },
      { keyOf: itself },
    ),
  };
}

const mineKey = ({ eventId, userId }: MineKey) => eventId + userId;
const sessionKey = ({ sessionId }: TokenIds) => sessionId;

/** One row for each item, or null, in the order of the items. */
function inOrder<T, R>(
  items: T[],
  keyOfItem: (item: T) => string,
  rows: R[],
  keyOfRow: (row: R) => string,
): (R | null)[] {
  const byKey = new Map(rows.map((row) => [keyOfRow(row), row]));
  return items.map((item) => byKey.get(keyOfItem(item)) ?? null);
}
