/** Loads items and claims for concurrent requests with one statement each. */
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import type { ViewerStateKey } from '../events/repo.ts';
import type { ItemRow, MyClaim } from './present.ts';
import { listItems, listMyClaims } from './repo.ts';

export type ItemLoaders = {
  /** The items of an event, in the order in which they were added. */
  itemsOf(eventId: string): Promise<ItemRow[]>;
  /** The claims of a person on the items of an event, by the number `n` of the item. */
  claimsOf(key: ViewerStateKey): Promise<Map<number, MyClaim>>;
};

const keyOf = ({ eventId, userId }: ViewerStateKey) => eventId + userId;

export function createItemLoaders(db: Database): ItemLoaders {
  return {
    itemsOf: createLoader(
      async (ids: string[]) => {
        const rows = Map.groupBy(await listItems(db, ids), ({ eventId }) => eventId);
        return ids.map((id) => rows.get(id) ?? []);
      },
      { keyOf: (id) => id },
    ),
    claimsOf: createLoader(
      async (keys: ViewerStateKey[]) => {
        const rows = Map.groupBy(await listMyClaims(db, keys), keyOf);
        return keys.map((key) => new Map(rows.get(keyOf(key))?.map((claim) => [claim.n, claim])));
      },
      { keyOf },
    ),
  };
}
