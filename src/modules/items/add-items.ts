import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { additionProblems, addToEvent } from './add-to-event.ts';
import { AddedItems, maxBatchValues, NewItems } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const addItems = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/items/batch',
  summary: 'Add several items',
  description:
    'Adds up to 100 items in the given order, all or none of them; the response has the same order. A refusal names ' +
    'the field, such as `items.3.title`. The limits are those of adding the items one by one: 500 items and 1 MiB of ' +
    'text for an event (409 `item_list_full`), and the items that a person may add in a day (429).',
  access: 'required',
  idempotent: true,
  params: EventParams,
  body: NewItems,
  // Enough that a batch which is a little too long gets an error that states the maximum.
  maxBodyValues: 2 * maxBatchValues,
  response: { 201: AddedItems },
  problems: additionProblems,

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const eventId = readId(params.id, 'event_not_found');
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const pathOf = (i: number) => `items.${i}.kind`;
      const data = await addToEvent(tx, services, { eventId, caller }, body.items, pathOf);
      return { status: 201 as const, body: { data } };
    });
  },
});
