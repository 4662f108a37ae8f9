import { getEvent, getFeatures, listItems } from '@potluck/client';
import { error, redirect } from '@sveltejs/kit';
import { readWay } from '#lib/account/server/entered-contact.ts';
import { findGuest, guestAnswerActions, offeredItems } from '#lib/event/guests/server/guest-answer.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

/** The page of the event has the answer of people with an account. */
export const load: PageServerLoad = async ({ locals, params: { id }, url, platform, cookies }) => {
  if (!platform) error(503);
  const { api: client, me } = locals;
  if (me) redirect(303, `/e/${id}`);
  const query = readQuery(url);
  const [event, items, features, guest] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listItems({ client, path: { id } })),
    read(getFeatures({ client })),
    findGuest(locals, { cookies, platform }, id),
  ]);
  return {
    event,
    items: offeredItems(event, items.data),
    guest,
    isOn: features.guestRsvp && event.enabledModules.includes('guestRsvp'),
    linkToken: query.text('token'),
    isAgain: query.has('again'),
    refused: Math.min(10, Number(query.text('refused')) || 0),
    by: readWay(query),
  };
};

export const actions = guestAnswerActions;
