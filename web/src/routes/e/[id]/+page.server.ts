import { getEvent, listItems } from '@potluck/client';
import { extraActions } from '#lib/server/event/extra-actions.ts';
import { guestActions } from '#lib/server/event/guest-actions.ts';
import { loadExtras } from '#lib/server/event/load-extras.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, params: { id } }) => {
  const { api: client } = locals;
  const [event, items] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listItems({ client, path: { id } })),
  ]);
  return { event, items: items.data, ...(await loadExtras(event, locals)) };
};

export const actions = { ...guestActions, ...extraActions };
