import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { findVisibleEvent } from '../events/visible-event.ts';
import { composeItemList } from './item-serializer.ts';
import { ItemList, ItemListQuery } from './schemas.ts';
import type { ItemServices } from './services.ts';

/** The response is composed of serialized fragments. */
export const listItems = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/items',
  summary: 'List the items of an event',
  description:
    'In the order in which items were added. If `claimantVisibility` of the event includes the caller, each item has ' +
    '`claims`: who brings it, up to 10 people. The organizer and admins see all claimants that are not suspended, ' +
    'others those with an RSVP that the guest list would show them.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  params: EventParams,
  query: ItemListQuery,
  response: { 200: ItemList },
  compressed: 'text',
  limits: { turns: 'heavy' },
  problems: ['event_not_found'],

  async handler({ caller, params, query: { kind } }, services: ItemServices) {
    const { items, findClaimants } = services;
    const id = readId(params.id, 'event_not_found');
    const [event, list, myClaims] = await Promise.all([
      findVisibleEvent(services, id, caller),
      items.itemsOf(id),
      caller && items.claimsOf({ eventId: id, userId: caller.id }),
    ]);
    if (!event) throw new Problem('event_not_found');
    const claimants = await findClaimants(event.row, caller);
    return { statusCode: 200, json: composeItemList(list, kind, myClaims, claimants) };
  },
});
