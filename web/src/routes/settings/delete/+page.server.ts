import { deleteMe, requestDeleteCode } from '@potluck/client';
import { fail, redirect } from '@sveltejs/kit';
import { submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals, url }) => {
  // Suspended people may delete their account, too.
  if (locals.session !== 'suspended') requireMe(locals, url);
};

export const actions: Actions = {
  /** Sends the code. In development the API returns it. */
  code: async ({ locals: { api } }) => {
    const result = await submit(
      async () => {
        const { data } = await requestDeleteCode({ client: api });
        return { isCodeSent: true, devCode: data.devCode ?? null };
      },
      { isCodeSent: false },
    );
    // The phone may have a code that is still valid, so the form asks for it.
    const isAskingForCode = 'status' in result && result.data.problem.code === 'too_many_codes';
    return isAskingForCode ? fail(result.status, { ...result.data, values: { isCodeSent: true } }) : result;
  },

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
