import { requireMatch, weakTag } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import { readItemId } from '../../lib/ids.ts';
import { listClaimants } from './claimants.ts';
import { requireItemOrganizer } from './policy.ts';
import { toClaimant, toItem, versionOfItem } from './present.ts';
import { updateItem as changeItem, listMyClaims } from './repo.ts';
import { Item, ItemChange, ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const updateItem = defineEndpoint({
  method: 'PATCH',
  path: '/v1/items/:id',
  summary: 'Change an item',
  description:
    'For the organizer of the event and admins. Fields that are left out do not change. `quantityNeeded` cannot be ' +
    'lower than the quantity already claimed. The texts of all items of an event may have up to 1 MiB ' +
    '(409 `item_list_full`).',
  access: 'required',
  ifMatch: true,
  params: ItemParams,
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
