import { getAdminOverview, listAccounts, listAudit, listFlags, listReports } from '@potluck/client';
import { isRemarkable } from '#lib/admin/moderation.ts';
import { toCases, withHistory } from '#lib/admin/server/reported-subject.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const client = locals.api;
  const [overview, reports, accounts, flags, entries] = await Promise.all([
    read(getAdminOverview({ client })),
    read(listReports({ client, query: { status: 'open', order: 'oldest', limit: 50 } })),
    read(listAccounts({ client, query: { limit: 6 } })),
    read(listFlags({ client })),
    read(listAudit({ client, query: { limit: 50 } })),
  ]);
  return {
    overview,
    cases: await withHistory(client, await toCases(client, reports.data, 2)),
    newest: accounts.data,
    off: flags.data.flatMap(({ name, enabled }) => (enabled ? [] : [name])),
    entries: entries.data.filter(isRemarkable).slice(0, 6),
  };
};
