import { getAdminOverview, listAccounts, listAudit, listFlags } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { PageServerLoad } from './$types';

/** Entries of people themselves, which would hide those of admins. */
const everyday = ['signed_in', 'logged_out', 'device_signed_out'];

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const client = locals.api;
  const [overview, accounts, flags, entries] = await Promise.all([
    read(getAdminOverview({ client })),
    read(listAccounts({ client, query: { limit: 5 } })),
    read(listFlags({ client })),
    read(listAudit({ client, query: { limit: 50 } })),
  ]);
  return {
    overview,
    newest: accounts.data,
    off: flags.data.flatMap(({ name, enabled }) => (enabled ? [] : [name])),
    entries: entries.data.filter(({ what }) => !everyday.includes(what)).slice(0, 6),
  };
};
