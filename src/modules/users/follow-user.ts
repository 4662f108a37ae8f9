import { defineEndpoint } from '../../http/define-endpoint.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { changeRelation, follow } from './change-relation.ts';
import { Following, UserParams } from './schemas.ts';
import type { UserServices } from './services.ts';

export const followUser = defineEndpoint({
  method: 'POST',
  path: '/v1/users/:id/follow',
  summary: 'Follow a person',
  description:
    'Following twice changes nothing. The operator may limit the follows of a person in a day (UTC), in production by ' +
    'default to 500; one more results in a 429.',
  access: 'required',
  params: UserParams,
  response: { 200: Following },
  problems: ['user_not_found', 'self_relation', 'blocked', 'quota_exceeded'],

  async handler({ caller, params }, services: UserServices) {
    const followersCount = await changeRelation(services, caller, params.id, async (relation, tx) => {
      const following = follow(relation);
      if (!relation.follows) await countTowardsQuota(tx, services, caller.id, 'follows');
      return following;
    });
    return { status: 200, body: { isFollowing: true, followersCount } };
  },
});
