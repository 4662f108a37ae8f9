import { getEvent, listGuests } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { mayOrganize } from '#lib/event/event-status.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

/** The list for guests. Those who manage the event have a page that tells more. */
export const load: PageServerLoad = async ({ locals: { api: client, me }, params: { id }, url }) => {
  const cursor = url.searchParams.get('cursor');
  const [event, guests] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listGuests({ client, path: { id }, query: { limit: 50, ...(cursor && { cursor }) } })),
  ]);
  if (mayOrganize(event, me)) redirect(303, `/e/${id}/guest-list`);
  return { event, guests };
};
