import { one } from '../../db/query.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { additionProblems, addToEvent } from './add-to-event.ts';
import { AddedItem, NewItem } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const addItem = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/items',
  summary: 'Add an item',
  description:
    'For the organizer of the event and admins. An event may have up to 500 items, with up to 1 MiB of text in total ' +
    '(409 `item_list_full`). The operator may limit the items that a person adds in a day (UTC), in production by ' +
    'default to 2,000; one more results in a 429.',
  access: 'required',
  idempotent: true,
  params: EventParams,
  body: NewItem,
  response: { 201: AddedItem },
  problems: additionProblems,

  async handler({ caller, params, body, idempotency }, services: ItemServices) {
    const eventId = readId(params.id, 'event_not_found');
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const added = await addToEvent(tx, services, { eventId, caller }, [body], () => 'kind');
      return { status: 201 as const, body: one(added) };
    });
  },
});
