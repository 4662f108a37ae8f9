import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listRelatedPeople, PeoplePage, PeopleQuery } from './list-related-people.ts';
import type { UserServices } from './services.ts';

export const listMyBlocks = defineEndpoint({
  method: 'GET',
  path: '/v1/me/blocks',
  tag: 'Me',
  summary: 'List the people whom you blocked',
  description: 'By the age of their accounts. The API never tells who blocked the caller.',
  caller: 'fresh',
  query: PeopleQuery,
  response: { 200: PeoplePage },

  handler: async ({ caller, query }, services: UserServices) => ({
    status: 200,
    body: await listRelatedPeople(services, caller.id, 'blocks', caller, query),
  }),
});
