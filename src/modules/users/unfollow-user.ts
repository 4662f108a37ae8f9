import { defineEndpoint } from '../../http/define-endpoint.ts';
import { changeRelation, unfollow } from './change-relation.ts';
import { Following, UserParams } from './schemas.ts';
import type { UserServices } from './services.ts';

export const unfollowUser = defineEndpoint({
  method: 'DELETE',
  path: '/v1/users/:id/follow',
  summary: 'Stop following a person',
  description: 'Unfollowing a person whom the caller does not follow changes nothing.',
  access: 'required',
  params: UserParams,
  response: { 200: Following },
  problems: ['user_not_found', 'self_relation'],

  async handler({ caller, params }, services: UserServices) {
    const followersCount = await changeRelation(services, caller, params.id, unfollow);
    return { status: 200, body: { isFollowing: false, followersCount } };
  },
});
