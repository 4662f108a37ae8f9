import { changeRole, listAccounts, restoreAccount, suspendAccount } from '@potluck/client';
import { readForm } from '#lib/server/forms.ts';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const q = url.searchParams.get('q')?.trim() ?? '';
  const cursor = url.searchParams.get('cursor');
  const suspended = url.searchParams.has('suspended');
  // A phone number is found as a whole, a name by its parts.
  const isPhone = /^\+[\d ()-]+$/.test(q);
  const query = {
    limit: 20,
    ...(q && (isPhone ? { phone: q } : { q })),
    ...(suspended && { suspended }),
    ...(cursor && { cursor }),
  };
  return { q, suspended, accounts: await read(listAccounts({ client: locals.api, query })) };
};

export const actions: Actions = {
  suspend: async ({ request, locals: { api } }) => {
    const { id = '', reason = '' } = await readForm(request);
    return submit(
      async () => {
        await suspendAccount({ client: api, path: { id }, body: reason ? { reason } : {} });
        return { done: 'suspended' as const };
      },
      { id, reason },
    );
  },

  restore: async ({ request, locals: { api } }) => {
    const { id = '' } = await readForm(request);
    return submit(
      async () => {
        await restoreAccount({ client: api, path: { id } });
        return { done: 'restored' as const };
      },
      { id },
    );
  },

  role: async ({ request, locals: { api } }) => {
    const { id = '', role } = await readForm(request);
    return submit(
      async () => {
        await changeRole({ client: api, path: { id }, body: { role: role === 'admin' ? 'admin' : 'user' } });
        return { done: 'role' as const };
      },
      { id },
    );
  },
};
