import { deleteEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { submit } from '#lib/server/problems.ts';
import type { Actions } from './$types';

export const actions: Actions = {
  default: async ({ locals: { api: client }, params: { id } }) => {
    const result = await submit(() => deleteEvent({ client, path: { id } }), {});
    if ('status' in result) return result;
    redirect(303, '/mine');
  },
};
