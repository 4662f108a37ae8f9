import { listFlags, switchFlag } from '@potluck/client';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  return { flags: (await read(listFlags({ client: locals.api }))).data };
};

export const actions: Actions = {
  default: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'name', 'enabled'),
    send: ({ client }, { name, enabled }) =>
      switchFlag({ client, path: { name }, body: { enabled: enabled === 'true' } }),
    done: ({ data }) => ({ switched: data }),
  }),
};
