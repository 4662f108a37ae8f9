import { listAudit } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const userId = url.searchParams.get('userId');
  const cursor = url.searchParams.get('cursor');
  const query = { limit: 50, ...(userId && { userId }), ...(cursor && { cursor }) };
  return { userId, entries: await read(listAudit({ client: locals.api, query })) };
};
