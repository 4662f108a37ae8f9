/** Loads the items of events and the viewer's claims on them. */
import { createLoader } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import type { ViewerStateKey } from '../events/repo.ts';
import type { ItemRow, MyClaim } from './present.ts';
import { listItems, listMyClaims } from './repo.ts';

export type ItemLoaders = {
  /** The items of an event, in the order in which they were added. */
  itemsOf(eventId: string): Promise<ItemRow[]>;
  /** A person's claims on the items of an event, by the item's `n`. */
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
