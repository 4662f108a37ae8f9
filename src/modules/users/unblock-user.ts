import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changeRelation, unblock } from './change-relation.ts';
import { Blocked, UserParams } from './schemas.ts';
import type { UserServices } from './services.ts';

export const unblockUser = defineEndpoint({
  method: 'DELETE',
  path: '/v1/users/:id/block',
  summary: 'Unblock a person',
  description:
    'Unblocking a person who is not blocked changes nothing. Follows that the block ended do not come back.',
  access: 'required',
  params: UserParams,
  response: { 200: Blocked },
  problems: ['user_not_found', 'self_relation'],

  async handler({ caller, params }, services: UserServices) {
    await changeRelation(services, caller, params.id, unblock);
    return { status: 200, body: { isBlocked: false } };
  },
});
