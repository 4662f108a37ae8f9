import { changeRole, listAccounts, restoreAccount, suspendAccount } from '@potluck/client';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const asked = readQuery(url);
  const q = asked.text('q');
  const suspended = asked.has('suspended');
  // A phone number and an address are found as a whole, a name by its parts.
  const isPhone = /^\+[\d ()-]+$/.test(q);
  const isAddress = /^[^\s@]+@[^\s@]+$/.test(q);
  const query = {
    ...readPage(url, 20),
    ...(q && (isPhone ? { phone: q } : isAddress ? { email: q } : { q })),
    ...(suspended && { suspended }),
  };
  return { q, suspended, accounts: await read(listAccounts({ client: locals.api, query })) };
};

export const actions: Actions = {
  suspend: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'id', 'reason'),
    send: ({ client }, { id, reason }) =>
      suspendAccount({ client, path: { id }, body: reason ? { reason } : {} }),
    done: () => ({ done: 'suspended' as const }),
  }),

  restore: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'id'),
    send: ({ client }, path) => restoreAccount({ client, path }),
    done: () => ({ done: 'restored' as const }),
  }),

  role: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'id', 'role'),
    send: ({ client }, { id, role }) =>
      changeRole({ client, path: { id }, body: { role: role === 'admin' ? 'admin' : 'user' } }),
    done: () => ({ done: 'role' as const }),
  }),
};
