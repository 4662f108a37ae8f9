import { listMyBlocks } from '@potluck/client';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  return { people: await read(listMyBlocks({ client: locals.api, query: readPage(url, 30) })) };
};
