import { isProblem, logout } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { submit } from '#lib/server/problems.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { session } }) => {
  if (session === 'none' || session === 'ended') redirect(303, '/');
};

export const actions: Actions = {
  default: async ({ locals: { api } }) => {
    const result = await submit(async () => {
      await logout({ client: api }).catch((error) => {
        // The session has ended already.
        if (!isProblem(error, 'token_invalid', 'token_missing')) throw error;
      });
      return {};
    }, {});
    if ('status' in result) return result;
    redirect(303, '/');
  },
};
