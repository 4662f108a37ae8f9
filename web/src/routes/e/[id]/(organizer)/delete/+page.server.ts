import { deleteEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction } from '#lib/server/form-action.ts';
import type { Actions } from './$types';

export const actions: Actions = {
  default: formAction({
    access: 'people',
    send: ({ client, path }) => deleteEvent({ client, path }),
    done: () => redirect(303, '/mine'),
  }),
};
