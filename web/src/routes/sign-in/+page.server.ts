import { requestCode, signInBrowser } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { localPath } from '#lib/server/local-path.ts';
import { submit } from '#lib/server/problems.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { me }, url, platform }) => {
  const next = localPath(url.searchParams.get('next'));
  if (me) redirect(303, next);
  const isEnded = url.searchParams.get('reason') === 'ended';
  return { next, isEnded, demoAccounts: platform?.demoAccounts ?? [] };
};

export const actions: Actions = {
  /** Sends the code. In development the API returns it. */
  code: async ({ request, locals: { api } }) => {
    const phone = String((await request.formData()).get('phone') ?? '').trim();
    return submit(
      async () => {
        const { data } = await requestCode({ client: api, body: { phone } });
        return { phone, devCode: data.devCode ?? null };
      },
      { phone },
    );
  },

  /** Signs in, and continues where the visitor was. */
  enter: async ({ request, locals: { api } }) => {
    const form = await request.formData();
    const phone = String(form.get('phone') ?? '');
    const code = String(form.get('code') ?? '').replace(/\s/g, '');
    const result = await submit(() => signInBrowser({ client: api, body: { phone, code } }), { phone, code });
    if ('status' in result) return result;
    redirect(303, localPath(form.get('next')));
  },
};
