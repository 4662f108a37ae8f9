import { getAdminOverview, listReports } from '@potluck/client';
import { isReason } from '#lib/admin/moderation.ts';
import { toCases, withHistory } from '#lib/admin/server/reported-subject.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

/** Open reports begin with the one that waits longest. */
const orders = { open: 'oldest', resolved: 'newest' } as const;

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const client = locals.api;
  const asked = readQuery(url);
  const status = asked.text('status') === 'resolved' ? 'resolved' : 'open';
  const name = asked.text('reason');
  const reason = isReason(name) ? name : null;
  const query = { status, order: orders[status], ...(reason && { reason }), ...readPage(url, 50) } as const;
  const [overview, { data, nextCursor }] = await Promise.all([
    read(getAdminOverview({ client })),
    read(listReports({ client, query })),
  ]);
  const cases = await withHistory(client, await toCases(client, data));
  return { status, reason, overview, cases, nextCursor };
};
