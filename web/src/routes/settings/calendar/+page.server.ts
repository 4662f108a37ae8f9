import { createMyCalendar, deleteMyCalendar, getMyCalendar } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  return { calendar: await read(getMyCalendar({ client: locals.api })), key: crypto.randomUUID() };
};

export const actions: Actions = {
  /** Returns the address, which the server cannot show again. */
  create: formAction({
    access: 'people',
    send: ({ client, headers }) => createMyCalendar({ client, headers }),
    done: ({ data }) => ({ address: data.url }),
  }),

  revoke: formAction({
    access: 'people',
    send: ({ client }) => deleteMyCalendar({ client }),
    done: () => redirect(303, '/settings/calendar'),
  }),
};
