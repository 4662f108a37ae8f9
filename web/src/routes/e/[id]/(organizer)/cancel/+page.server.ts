import { updateEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import type { Actions } from './$types';

const setStatus = (status: 'cancelled' | 'scheduled') =>
  formAction({
    access: 'people',
    send: ({ client, path }: Submission<{ id: string }>) => updateEvent({ client, path, body: { status } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}`),
  });

export const actions: Actions = { cancel: setStatus('cancelled'), reinstate: setStatus('scheduled') };
