import { listPeopleSoon } from '#lib/server/people-soon.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const me = requireMe(locals, url);
  return { peopleSoon: await listPeopleSoon(locals.api, me.id) };
};
