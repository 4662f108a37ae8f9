import { listNotifications, markNotificationRead, markNotificationsRead } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { readPage } from '#lib/server/pages.ts';
import { load as read, submit } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad, RequestEvent } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  requireMe(locals, url);
  return { inbox: await read(listNotifications({ client: locals.api, query: readPage(url, 30) })) };
};

const mark =
  (field: string, work: (event: RequestEvent, id: string) => Promise<unknown>) =>
  async (event: RequestEvent) => {
    const id = String((await event.request.formData()).get(field) ?? '');
    const result = await submit(async () => {
      await work(event, id);
      return {};
    }, {});
    if ('status' in result) return result;
    redirect(303, '/notifications');
  };

export const actions: Actions = {
  read: mark('id', ({ locals: { api } }, id) => markNotificationRead({ client: api, path: { id } })),
  /** Those that arrived after the page was loaded stay unread. */
  readAll: mark('upTo', ({ locals: { api } }, upTo) =>
    markNotificationsRead({ client: api, body: { upTo } }),
  ),
};
