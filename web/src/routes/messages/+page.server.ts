import { listPeopleSoon } from '#lib/inbox/server/people-soon.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const me = requireMe(locals, url);
  // Further pages of conversations do not show them.
  const isFirst = !readQuery(url).has('cursor');
  return { peopleSoon: isFirst ? await listPeopleSoon(locals.api, me.id) : [] };
};
