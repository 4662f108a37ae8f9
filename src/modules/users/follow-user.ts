import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changeRelation, follow } from './change-relation.ts';
import { Following, UserParams } from './schemas.ts';
import type { UserServices } from './services.ts';

/** Follow a person (specification 4.3). */
export const followUser = defineEndpoint({
  method: 'POST',
  path: '/v1/users/:id/follow',
  operationId: 'followUser',
  tag: 'People',
  summary: 'Follow a person',
  description: 'Following twice changes nothing.',
  access: 'required',
  params: UserParams,
  response: { 200: Following },
  problems: ['user_not_found', 'self_relation', 'blocked'],

  async handler({ caller, params }, services: UserServices) {
    const followersCount = await changeRelation(services, caller, params.id, follow);
    return { status: 200, body: { isFollowing: true, followersCount } };
  },
});
