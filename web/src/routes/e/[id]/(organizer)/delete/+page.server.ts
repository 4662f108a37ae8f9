import { deleteEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { readScope } from '#lib/event/server/scope.ts';
import { formAction } from '#lib/server/form-action.ts';
import type { Actions } from './$types';

export const actions: Actions = {
  default: formAction({
    access: 'people',
    fields: (form) => ({ scope: readScope(form.get('scope')) }),
    send: ({ client, path }, query) => deleteEvent({ client, path, query }),
    done: () => redirect(303, '/mine'),
  }),
};
