import { endSession, listSessions } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  const { data } = await read(listSessions({ client: locals.api }));
  return { sessions: data.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent)) };
};

export const actions: Actions = {
  end: async ({ locals: { api }, request }) => {
    const id = String((await request.formData()).get('id') ?? '');
    const result = await submit(async () => {
      await endSession({ client: api, path: { id } });
      return {};
    }, {});
    if ('status' in result) return result;
    redirect(303, '/settings/devices');
  },
};
