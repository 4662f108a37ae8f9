import { type Client, updateEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { submit } from '#lib/server/problems.ts';
import type { Actions } from './$types';

export const actions: Actions = {
  cancel: ({ locals: { api }, params: { id } }) => setStatus(api, id, 'cancelled'),
  reinstate: ({ locals: { api }, params: { id } }) => setStatus(api, id, 'scheduled'),
};

async function setStatus(client: Client, id: string, status: 'cancelled' | 'scheduled') {
  const result = await submit(() => updateEvent({ client, path: { id }, body: { status } }), {});
  if ('status' in result) return result;
  redirect(303, `/e/${id}`);
}
