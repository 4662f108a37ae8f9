import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { moduleOf } from '../events/catalogue.ts';
import { requireOrganizer } from '../events/policy.ts';
import { findEventForUpdate } from '../events/repo.ts';
import { EventParams } from '../events/schemas.ts';
import { toAddedItem } from './present.ts';
import { insertItem } from './repo.ts';
import { AddedItem, NewItem } from './schemas.ts';
import type { ItemServices } from './services.ts';

/** Adds an item to an event (specification 4.15). */
export const addItem = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/items',
  operationId: 'addItem',
  tag: 'Items',
  summary: 'Add an item',
  description:
    'For the organizer of the event and admins. An event may have up to 500 items, with up to 1 MiB of text in total ' +
    '(409 `item_list_full`). The operator may limit the items that a person adds in a day (UTC), in production by ' +
    'default to 2,000; one more results in a 429.',
  access: 'required',
  idempotent: true,
  params: EventParams,
  body: NewItem,
  response: { 201: ref(AddedItem) },
  problems: [
    'event_not_found',
    'not_organizer',
    'module_disabled',
    'event_cancelled',
    'item_list_full',
    'quota_exceeded',
  ],

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const id = readId(params.id, 'event_not_found');
    return runIdempotent(services, caller, idempotency, async (tx) => {
      const event = await findEventForUpdate(tx, id, caller);
      if (!event) throw new Problem('event_not_found');
      requireOrganizer(event, caller);
      if (!event.enabledModules.includes(moduleOf[body.kind])) throw new Problem('module_disabled');
      if (event.status === 'cancelled') throw new Problem('event_cancelled');
      const row = await insertItem(tx, id, body, services.clock());
      await countTowardsQuota(tx, services, caller.id, 'items');
      return { status: 201 as const, body: toAddedItem(row) };
    });
  },
});
