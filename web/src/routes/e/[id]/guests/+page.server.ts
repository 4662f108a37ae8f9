import { getEvent, listGuests } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { mayOrganize } from '#lib/event/event-status.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

/** The list for guests. Those who manage the event have a page that tells more. */
export const load: PageServerLoad = async ({ locals: { api: client, me }, params: { id }, url }) => {
  const [event, guests] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listGuests({ client, path: { id }, query: readPage(url, 50) })),
  ]);
  if (mayOrganize(event, me)) redirect(303, `/e/${id}/guest-list`);
  return { event, guests };
};
