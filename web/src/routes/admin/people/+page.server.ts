import { changeRole, listAccounts, restoreAccount, suspendAccount } from '@potluck/client';
import { formAction, texts } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const q = url.searchParams.get('q')?.trim() ?? '';
  const cursor = url.searchParams.get('cursor');
  const suspended = url.searchParams.has('suspended');
  // A phone number and an address are found as a whole, a name by its parts.
  const isPhone = /^\+[\d ()-]+$/.test(q);
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(q);
  const query = {
    limit: 20,
    ...(q && (isPhone ? { phone: q } : isAddress ? { email: q } : { q })),
    ...(suspended && { suspended }),
    ...(cursor && { cursor }),
  };
  return { q, suspended, accounts: await read(listAccounts({ client: locals.api, query })) };
};

export const actions: Actions = {
  suspend: formAction({
    fields: (form) => texts(form, 'id', 'reason'),
    send: ({ client }, { id, reason }) =>
      suspendAccount({ client, path: { id }, body: reason ? { reason } : {} }),
    done: () => ({ done: 'suspended' as const }),
  }),

  restore: formAction({
    fields: (form) => texts(form, 'id'),
    send: ({ client }, path) => restoreAccount({ client, path }),
    done: () => ({ done: 'restored' as const }),
  }),

  role: formAction({
    fields: (form) => texts(form, 'id', 'role'),
    send: ({ client }, { id, role }) =>
      changeRole({ client, path: { id }, body: { role: role === 'admin' ? 'admin' : 'user' } }),
    done: () => ({ done: 'role' as const }),
  }),
};
