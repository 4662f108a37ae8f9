import { listEvents } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api } }) => ({
  events: await read(listEvents({ client: api, query: { limit: 24 } })),
});
