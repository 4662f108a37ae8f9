import { listGuests } from '@potluck/client';
import { collect } from '#lib/server/organizer/collect.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id } }) => {
  const { rows, isCut } = await read(
    collect((query) => listGuests({ client, path: { id }, query })).then((data) => ({ data })),
  );
  return {
    going: rows.filter(({ status }) => status === 'going'),
    interested: rows.filter(({ status }) => status === 'interested'),
    isCut,
  };
};
