import { getUser, listFollowing } from '@potluck/client';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api }, params, url }) => {
  const [person, people] = await Promise.all([
    read(getUser({ client: api, path: params })),
    read(listFollowing({ client: api, path: params, query: readPage(url, 30) })),
  ]);
  return { person: { id: person.id, name: person.name }, people };
};
