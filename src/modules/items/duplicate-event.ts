import type { Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { createdResponse } from '../events/created-response.ts';
import { fieldsOfCopy } from '../events/event-rules.ts';
import { findExactPlace } from '../events/exact-place.ts';
import { insertEvent } from '../events/insert-events.ts';
import { requireOwnEvent } from '../events/require-own-event.ts';
import { Event, EventCopy, EventParams } from '../events/schemas.ts';
import { insertItems, listItems } from './repo.ts';
import type { ItemServices } from './services.ts';

/** Copies an event with its items. It is part of the module `items`, because `events` does not know items. */
export const duplicateEvent = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/duplicate',
  tag: 'Events',
  summary: 'Duplicate an event with its items',
  description:
    'For its organizer and admins. The caller becomes the organizer of the copy. The copy is a draft (`visibility` is ' +
    '`private`, `status` is `scheduled`): review it, then publish it with `PATCH`. It has all other fields of the event, ' +
    'also its time zone and the address of its cover, and its items in the same order; it has no claims, RSVPs, ' +
    'bookings or saves. It counts towards the daily limits on events and items (429).',
  caller: 'fresh',
  retry: 'idempotent',
  createdHeaders: ['Location', 'ETag'],
  params: EventParams,
  body: EventCopy,
  response: { 201: Event },
  problems: ['event_not_found', 'not_organizer', 'event_hidden', 'item_list_full', 'quota_exceeded'],

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const { people, clock, config } = services;
    const sourceId = readId(params.id, 'event_not_found');
    const organizer = await people.find(caller.id);
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const source = await requireOwnEvent(tx, sourceId, caller);
      // The organizer could publish the copy in the place of the event that an admin hides.
      if (source.hiddenAt) throw new Problem('event_hidden');
      const exactPlace = source.isAddressHidden ? await findExactPlace(tx, sourceId) : null;
      const fields = { ...fieldsOfCopy(source, body), exactPlace: exactPlace && { ...exactPlace, moves: 0 } };
      const now = clock();
      const id = await insertEvent(tx, caller.id, fields, now, {
        async insertDetails(copyId) {
          const count = await copyItems(tx, sourceId, copyId, now);
          // In the order of LOCK_ORDER: after items, and by the name of the kind.
          await countTowardsQuota(tx, services, caller.id, 'events');
          await countTowardsQuota(tx, services, caller.id, 'items', count);
        },
      });
      return createdResponse(tx, id, organizer, config.publicUrl);
    });
  },
});

/**
 * Copies the items of an event, which the transaction has locked: neither its fields nor the texts of its items change
 * until the commit, and no item is added. Quantities can change and items can be deleted meanwhile. One statement
 * reads all of them, so the copy equals a state that the event had.
 * @returns the number of items
 */
async function copyItems(tx: Transaction, sourceId: string, copyId: string, now: Date): Promise<number> {
  const items = await insertItems(tx, copyId, await listItems(tx, [sourceId]), now);
  return items.length;
}
