import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { isVisible, requireOrganizer } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import { loadClaimPage } from './load-claim-page.ts';
import { ClaimListQuery, ClaimPage } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const listEventClaims = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/claims',
  summary: 'List the claims on the items of an event',
  description:
    'For the organizer of the event and admins, ordered by item, and for each item in the order in which the claims ' +
    'were made.',
  access: 'required',
  params: EventParams,
  query: ClaimListQuery,
  response: { 200: ClaimPage },
  compressed: 'text',
  turns: 'heavy',
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: ItemServices) {
    const eventId = readId(params.id, 'event_not_found');
    const event = await services.events.find(eventId);
    if (!event || !isVisible(event.row, caller)) throw new Problem('event_not_found');
    requireOrganizer(event.row, caller);
    return { status: 200, body: await loadClaimPage(services, { eventId }, query) };
  },
});
