import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Blocked, UserParams } from '../schemas.ts';
import type { PeopleServices } from '../services.ts';
import { block, changeRelation, unblock } from './change-relation.ts';

const common = {
  path: '/v1/users/:id/block',
  caller: 'fresh',
  params: UserParams,
  response: { 200: Blocked },
  problems: ['user_not_found', 'self_relation'],
} as const;

export const blockUser = defineEndpoint({
  ...common,
  method: 'POST',
  retry: 'repeatable',
  summary: 'Block a person',
  description:
    'Ends follows between the two and prevents new ones and messages, hides each from the other in search and in ' +
    "guest lists, and hides the person's events from the caller's lists. It does not prevent RSVPs, bookings and " +
    'claims: events stay open to both, and the organizer of an event sees everybody who comes.',

  async handler({ caller, params }, services: PeopleServices) {
    await changeRelation(services, caller, params.id, block);
    return { status: 200, body: { isBlocked: true } };
  },
});

export const unblockUser = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Unblock a person',
  description:
    'Unblocking a person who is not blocked changes nothing. Follows that the block ended do not come back.',

  async handler({ caller, params }, services: PeopleServices) {
    await changeRelation(services, caller, params.id, unblock);
    return { status: 200, body: { isBlocked: false } };
  },
});
