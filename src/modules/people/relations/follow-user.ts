import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { countTowardsQuota } from '../../../quotas/daily-quotas.ts';
import { Following, UserParams } from '../schemas.ts';
import type { PeopleServices } from '../services.ts';
import { changeRelation, follow, unfollow } from './change-relation.ts';

const common = {
  path: '/v1/users/:id/follow',
  caller: 'fresh',
  params: UserParams,
  response: { 200: Following },
} as const;

export const followUser = defineEndpoint({
  ...common,
  method: 'POST',
  retry: 'repeatable',
  summary: 'Follow a person',
  description:
    'Following twice changes nothing. The operator may limit the follows of a person in a day (UTC), in production by ' +
    'default to 500; one more results in a 429.',
  problems: ['user_not_found', 'self_relation', 'blocked', 'quota_exceeded'],

  async handler({ caller, params }, services: PeopleServices) {
    const followersCount = await changeRelation(services, caller, params.id, async (relation, tx) => {
      const following = follow(relation);
      if (!relation.follows) await countTowardsQuota(tx, services, caller.id, 'follows');
      return following;
    });
    return { status: 200, body: { isFollowing: true, followersCount } };
  },
});

export const unfollowUser = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Stop following a person',
  description: 'Unfollowing a person whom the caller does not follow changes nothing.',
  problems: ['user_not_found', 'self_relation'],

  async handler({ caller, params }, services: PeopleServices) {
    const followersCount = await changeRelation(services, caller, params.id, unfollow);
    return { status: 200, body: { isFollowing: false, followersCount } };
  },
});
