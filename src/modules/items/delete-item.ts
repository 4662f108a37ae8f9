import { requireMatch } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readItemId } from '../../lib/ids.ts';
import { requireItemOrganizer } from './policy.ts';
import { type ItemRow, versionOfItem } from './present.ts';
import { deleteItem as removeItem } from './repo.ts';
import { ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const deleteItem = defineEndpoint({
  method: 'DELETE',
  path: '/v1/items/:id',
  summary: 'Remove an item',
  description:
    'For the organizer of the event and admins. Deletes all claims on the item; the people who made them are not notified.',
  access: 'required',
  ifMatch: true,
  params: ItemParams,
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
