import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { PeopleServices } from '../services.ts';
import { listRelatedPeople, PeoplePage, PeopleQuery } from './list-related-people.ts';

export const listMyBlocks = defineEndpoint({
  method: 'GET',
  path: '/v1/me/blocks',
  tag: 'Me',
  summary: 'List the people whom you blocked',
  description: 'By the age of their accounts. The API never tells who blocked the caller.',
  caller: 'fresh',
  query: PeopleQuery,
  response: { 200: PeoplePage },

  handler: async ({ caller, query }, services: PeopleServices) => ({
    status: 200,
    body: await listRelatedPeople(services, caller.id, 'blocks', caller, query),
  }),
});
