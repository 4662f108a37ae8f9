import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { requireProfile } from '../policy.ts';
import { UserParams } from '../schemas.ts';
import type { PeopleServices } from '../services.ts';
import { readUserId } from '../user-id.ts';
import { listRelatedPeople, PeoplePage, PeopleQuery } from './list-related-people.ts';

const listAround = (relation: 'followers' | 'following', summary: string) =>
  defineEndpoint({
    method: 'GET',
    path: `/v1/users/:id/${relation}`,
    summary,
    description:
      'By the age of their accounts. For callers who may see the profile. People between whom and the caller there is ' +
      'a block are left out, and suspended people always, so a page may have fewer people than `limit`.',
    caller: 'optional',
    uncached: true,
    params: UserParams,
    query: PeopleQuery,
    response: { 200: PeoplePage },
    compressed: 'text',
    problems: ['user_not_found', 'profile_private'],

    async handler({ caller, params, query }, services: PeopleServices) {
      const id = readUserId(params.id);
      await requireProfile(services.profiles, id, caller);
      return { status: 200, body: await listRelatedPeople(services, id, relation, caller, query) };
    },
  });

export const listFollowers = listAround('followers', 'List the followers of a person');
export const listFollowing = listAround('following', 'List the people whom a person follows');
