import { requireMatch, weakTag } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readItemId } from '../../lib/ids.ts';
import { listClaimants } from './claims/claimants.ts';
import { requireItemOrganizer } from './policy.ts';
import { type ItemRow, toClaimant, toItem, versionOfItem } from './present.ts';
import { updateItem as changeItem, listMyClaims, deleteItem as removeItem } from './repo.ts';
import { Item, ItemChange, ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

const common = {
  path: '/v1/items/:id',
  caller: 'fresh',
  etag: 'ifMatch',
  params: ItemParams,
} as const;

export const updateItem = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change an item',
  description:
    'For the organizer of the event and admins. Fields that are left out do not change. `quantityNeeded` cannot be ' +
    'lower than the quantity already claimed. The texts of all items of an event may have up to 1 MiB ' +
    '(409 `item_list_full`).',
  body: ItemChange,
  response: { 200: Item },
  problems: ['item_not_found', 'not_organizer', 'quantity_below_claimed', 'item_list_full'],

  async handler({ caller, params, body, request }, { db, config }: ItemServices) {
    const id = readItemId(params.id);
    const item = await actAs(db, caller, async (tx, caller) => {
      await requireItemOrganizer(tx, id, caller);
      const row = await changeItem(tx, id, body, (before) => requireMatch(request, versionOfItem(before)));
      const claims = await listMyClaims(tx, [{ eventId: id.eventId, userId: caller.id }]);
      const key = { eventId: id.eventId, viewerId: caller.id, seesAll: true };
      const claimants = await listClaimants(tx, key, id.n);
      const myClaims = new Map(claims.map((claim) => [claim.n, claim]));
      return toItem(
        row,
        myClaims,
        claimants.map((claimant) => toClaimant(claimant, config.publicUrl)),
      );
    });
    return { status: 200, body: item, headers: { etag: weakTag(item.version) } };
  },
});

export const deleteItem = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Remove an item',
  description:
    'For the organizer of the event and admins. Deletes all claims on the item; the people who made them are not notified.',
  response: { 200: Success },
  problems: ['item_not_found', 'not_organizer'],

  async handler({ caller, params, request }, { db }: ItemServices) {
    const id = readItemId(params.id);
    await actAs(db, caller, async (tx, caller) => {
      await requireItemOrganizer(tx, id, caller);
      const check = (item: ItemRow) => requireMatch(request, versionOfItem(item));
      if (!(await removeItem(tx, id, check))) throw new Problem('item_not_found');
    });
    return { status: 200, body: { success: true as const } };
  },
});
