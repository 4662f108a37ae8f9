import { listConversations } from '@potluck/client';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { LayoutServerLoad } from './$types';

export const load: LayoutServerLoad = async ({ locals, url, params, depends }) => {
  depends('app:messages');
  requireMe(locals, url);
  // Beside a conversation, the cursor of the address is that of its messages.
  const query = params.id ? { limit: 30 } : readPage(url, 30);
  const { data: conversations, nextCursor } = await read(listConversations({ client: locals.api, query }));
  return { conversations, nextCursor };
};
