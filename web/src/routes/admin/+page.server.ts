import { listReports, resolveReport, suspendAccount } from '@potluck/client';
import { readForm } from '#lib/server/forms.ts';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const status = url.searchParams.get('status') === 'resolved' ? ('resolved' as const) : ('open' as const);
  const cursor = url.searchParams.get('cursor') ?? undefined;
  const query = { status, limit: 20, ...(cursor && { cursor }) };
  return { status, reports: await read(listReports({ client: locals.api, query })) };
};

export const actions: Actions = {
  resolve: async ({ request, locals: { api } }) => {
    const { id = '', note = '' } = await readForm(request);
    return submit(
      async () => {
        await resolveReport({
          client: api,
          path: { id },
          body: { status: 'resolved', ...(note && { note }) },
        });
        return { done: 'resolved' as const };
      },
      { id, note },
    );
  },

  /** Suspends the person whom a report is about. */
  suspend: async ({ request, locals: { api } }) => {
    const { userId = '', reason = '' } = await readForm(request);
    return submit(
      async () => {
        await suspendAccount({ client: api, path: { id: userId }, body: reason ? { reason } : {} });
        return { done: 'suspended' as const };
      },
      { userId, reason },
    );
  },
};
