import { getEvent, listItems } from '@potluck/client';
import { toShared } from '#lib/event/server/shared-event.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, platform, url }) => {
  const [event, items] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listItems({ client, path: { id } })),
  ]);
  const left = items.data.reduce(
    (sum, { quantityNeeded, quantityClaimed }) => sum + quantityNeeded - quantityClaimed,
    0,
  );
  return { event: await toShared(event, { platform, url }), left };
};
