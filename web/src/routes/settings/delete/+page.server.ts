import { deleteMe, requestDeleteCode } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals, url }) => {
  // Suspended people may delete their account, too.
  if (locals.session !== 'suspended') requireMe(locals, url);
};

export const actions: Actions = {
  /** Sends the code. In development the API returns it. */
  code: async ({ locals: { api } }) =>
    submit(
      async () => {
        const { data } = await requestDeleteCode({ client: api });
        return { isCodeSent: true, devCode: data.devCode ?? null };
      },
      { isCodeSent: false },
    ),

  delete: async ({ locals: { api }, request }) => {
    const code = String((await request.formData()).get('code') ?? '').replace(/\s/g, '');
    const result = await submit(
      async () => {
        await deleteMe({ client: api, body: { confirmCode: code } });
        return {};
      },
      { isCodeSent: true },
    );
    if ('status' in result) return result;
    redirect(303, '/goodbye');
  },
};
