import { createMyCalendar, deleteMyCalendar, getMyCalendar } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  return { calendar: await read(getMyCalendar({ client: locals.api })), key: crypto.randomUUID() };
};

export const actions: Actions = {
  /** Returns the address, which the server cannot show again. */
  create: async ({ locals: { api }, request }) => {
    const key = String((await request.formData()).get('key') ?? '');
    return submit(async () => {
      const headers = key === '' ? {} : { 'Idempotency-Key': key };
      const { data } = await createMyCalendar({ client: api, headers });
      return { address: data.url };
    }, {});
  },

  revoke: async ({ locals: { api } }) => {
    const result = await submit(async () => {
      await deleteMyCalendar({ client: api });
      return {};
    }, {});
    if ('status' in result) return result;
    redirect(303, '/settings/calendar');
  },
};
