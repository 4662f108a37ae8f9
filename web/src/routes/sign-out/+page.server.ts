import { isProblem, logout } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction } from '#lib/server/form-action.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { session } }) => {
  if (session === 'none' || session === 'ended') redirect(303, '/');
};

export const actions: Actions = {
  default: formAction({
    access: 'anyone',
    send: ({ client }) =>
      logout({ client }).catch((error) => {
        // The session has ended already.
        if (!isProblem(error, 'token_invalid', 'token_missing')) throw error;
      }),
    done: () => redirect(303, '/'),
  }),
};
