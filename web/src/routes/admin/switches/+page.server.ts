import { listFlags, switchFlag } from '@potluck/client';
import { readForm } from '#lib/server/forms.ts';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  return { flags: (await read(listFlags({ client: locals.api }))).data };
};

export const actions: Actions = {
  default: async ({ request, locals: { api } }) => {
    const { name = '', enabled } = await readForm(request);
    return submit(
      async () => {
        const { data } = await switchFlag({
          client: api,
          path: { name },
          body: { enabled: enabled === 'true' },
        });
        return { switched: data };
      },
      { name },
    );
  },
};
