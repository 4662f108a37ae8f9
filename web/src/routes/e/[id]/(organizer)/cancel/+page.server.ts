import { updateEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { linesOf } from '#lib/forms/texts.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import type { Actions } from './$types';

const setStatus = (status: 'cancelled' | 'scheduled') =>
  formAction({
    access: 'people',
    fields: (form) => ({ message: linesOf(form.get('message')) }),
    send: ({ client, path }: Submission<{ id: string }>, { message }) =>
      updateEvent({ client, path, body: { status, ...(message && { message }) } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}`),
  });

export const actions: Actions = { cancel: setStatus('cancelled'), reinstate: setStatus('scheduled') };
