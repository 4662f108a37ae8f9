/** Who brings what. */
import { type Client, type GivenClaim, type Item, listEventClaims, listItems } from '@potluck/client';
import { collect } from '#lib/server/collect.ts';
import { load } from '#lib/server/problems.ts';

/** `items` by name of the person; `claims` by item. */
export type BringList = { items: Item[]; claims: GivenClaim[]; isCut: boolean };

export async function loadBringList(client: Client, id: string): Promise<BringList> {
  const path = { id };
  const [{ data: items }, { rows, isCut }] = await Promise.all([
    load(listItems({ client, path })),
    collect((query) => listEventClaims({ client, path, query })),
  ]);
  return { items, claims: rows, isCut };
}
