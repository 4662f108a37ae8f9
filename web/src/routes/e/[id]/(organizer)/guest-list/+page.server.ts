import { listGuests } from '@potluck/client';
import { pageOf, readPageNumber, rowsPerPage } from '#lib/server/numbered-pages.ts';
import { collect } from '#lib/server/organizer/collect.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const { rows, isCut } = await read(
    collect((query) => listGuests({ client, path: { id }, query })).then((data) => ({ data })),
  );
  return { list: pageOf(rows, readPageNumber(url), rowsPerPage), isCut };
};
