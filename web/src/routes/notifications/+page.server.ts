import { listNotifications, markNotificationsRead } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction, texts } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const { id } = requireMe(locals, url);
  return { meId: id, inbox: await read(listNotifications({ client: locals.api, query: readPage(url, 30) })) };
};

export const actions: Actions = {
  /** Those that arrived after the page was loaded stay unread. */
  readAll: formAction({
    fields: (form) => texts(form, 'upTo'),
    send: ({ client }, body) => markNotificationsRead({ client, body }),
    done: () => redirect(303, '/notifications'),
  }),
};
