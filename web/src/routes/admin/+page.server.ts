import { listReports, resolveReport, suspendAccount } from '@potluck/client';
import { formAction, texts } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
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
  resolve: formAction({
    fields: (form) => texts(form, 'id', 'note'),
    send: ({ client }, { id, note }) =>
      resolveReport({ client, path: { id }, body: { status: 'resolved', ...(note && { note }) } }),
    done: () => ({ done: 'resolved' as const }),
  }),

  /** Suspends the person whom a report is about. */
  suspend: formAction({
    fields: (form) => texts(form, 'userId', 'reason'),
    send: ({ client }, { userId: id, reason }) =>
      suspendAccount({ client, path: { id }, body: reason ? { reason } : {} }),
    done: () => ({ done: 'suspended' as const }),
  }),
};
