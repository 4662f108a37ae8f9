import { getEvent, listGuests } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const cursor = url.searchParams.get('cursor');
  const [event, guests] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listGuests({ client, path: { id }, query: { limit: 50, ...(cursor && { cursor }) } })),
  ]);
  return { event, guests };
};
