import { endSession, listSessions } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  const { data } = await read(listSessions({ client: locals.api }));
  return { sessions: data.toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent)) };
};

export const actions: Actions = {
  end: formAction({
    access: 'people',
    fields: (form) => texts(form, 'id'),
    send: ({ client }, path) => endSession({ client, path }),
    done: () => redirect(303, '/settings/devices'),
  }),
};
