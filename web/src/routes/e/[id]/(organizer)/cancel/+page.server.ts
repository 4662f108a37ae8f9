import { updateEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { readScope } from '#lib/event/server/scope.ts';
import { linesOf } from '#lib/forms/texts.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import type { Actions } from './$types';

const setStatus = (status: 'cancelled' | 'scheduled') =>
  formAction({
    access: 'people',
    fields: (form) => ({ message: linesOf(form.get('message')), scope: readScope(form.get('scope')) }),
    send: ({ client, path }: Submission<{ id: string }>, { message, scope }) =>
      updateEvent({ client, path, query: { scope }, body: { status, ...(message && { message }) } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}`),
  });

export const actions: Actions = { cancel: setStatus('cancelled'), reinstate: setStatus('scheduled') };
