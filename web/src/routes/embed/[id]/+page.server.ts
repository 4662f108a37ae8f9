import { getEvent, listItems } from '@potluck/client';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id } }) => {
  const [event, items] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listItems({ client, path: { id } })),
  ]);
  const left = items.data.reduce(
    (sum, { quantityNeeded, quantityClaimed }) => sum + quantityNeeded - quantityClaimed,
    0,
  );
  return { event, left };
};
