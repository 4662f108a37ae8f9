import { listConversations } from '@potluck/client';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url, depends }) => {
  depends('app:messages');
  requireMe(locals, url);
  return {
    conversations: await read(listConversations({ client: locals.api, query: readPage(url, 30) })),
  };
};
