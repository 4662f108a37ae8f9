/**
 * Loads items and claims for concurrent requests with one statement each. Requests for the items of the same event
 * also share the serialized items.
 */
import { mapInTurns } from '#base';
import { createLoader, type Database } from '#pg';
import type { ViewerStateKey } from '../events/repo.ts';
import { type SerializedItems, serializeItems } from './item-serializer.ts';
import type { MyClaim } from './present.ts';
import { listItems, listMyClaims } from './repo.ts';

export type ItemLoaders = {
  /** The items of an event, in the order in which they were added. */
  itemsOf(eventId: string): Promise<SerializedItems>;
  /** The claims of a person on the items of an event, by the number `n` of the item. */
  claimsOf(key: ViewerStateKey): Promise<Map<number, MyClaim>>;
};

const keyOf = ({ eventId, userId }: ViewerStateKey) => eventId + userId;

const noClaims = new Map<number, MyClaim>();

export function createItemLoaders(db: Database): ItemLoaders {
  return {
    itemsOf: createLoader(
      async (ids: string[]) => {
        const rows = Map.groupBy(await listItems(db, ids), ({ eventId }) => eventId);
        return await mapInTurns(ids, (id) => serializeItems(rows.get(id) ?? []));
      },
      { keyOf: (id) => id },
    ),
    claimsOf: createLoader(
      async (keys: ViewerStateKey[]) => {
        const rows = Map.groupBy(await listMyClaims(db, keys), keyOf);
        return keys.map((key) => {
          const claims = rows.get(keyOf(key));
          return claims ? new Map(claims.map((claim) => [claim.n, claim])) : noClaims;
        });
      },
      { keyOf },
    ),
  };
}
