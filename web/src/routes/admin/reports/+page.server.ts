import { listReports } from '@potluck/client';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { withSubjects } from '#lib/server/reported-subject.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const status = url.searchParams.get('status') === 'resolved' ? ('resolved' as const) : ('open' as const);
  const query = { status, ...readPage(url, 20) };
  const { data, nextCursor } = await read(listReports({ client: locals.api, query }));
  return { status, reports: await withSubjects(locals.api, data), nextCursor };
};
