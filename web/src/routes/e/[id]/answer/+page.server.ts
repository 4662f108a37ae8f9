import { getEvent, getFeatures, getLinkInvitation, listItems } from '@potluck/client';
import { error, redirect } from '@sveltejs/kit';
import { readWay } from '#lib/account/server/entered-contact.ts';
import { findGuest, guestAnswerActions, offeredItems } from '#lib/event/guests/server/guest-answer.ts';
import { invitationHeader, showsEvent } from '#lib/event/guests/server/invitation-header.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

/** The page of the event has the answer of people with an account. */
export const load: PageServerLoad = async ({ locals, params: { id }, url, platform, cookies }) => {
  if (!platform) error(503);
  const { api: client, me } = locals;
  const query = readQuery(url);
  const invitation = query.text('invitation');
  if (me) redirect(303, showsEvent(invitation) ? `/i/${encodeURIComponent(invitation)}` : `/e/${id}`);
  const guest = await findGuest(locals, { cookies, platform }, id);
  // Until the answer, only the link of an invitation shows a private event.
  const readEvent = async () => {
    if (!invitation || guest) return read(getEvent({ client, path: { id } }));
    if (!showsEvent(invitation)) return null;
    return (await read(getLinkInvitation({ client, headers: invitationHeader(invitation) }))).event;
  };
  const [event, features] = await Promise.all([readEvent(), read(getFeatures({ client }))]);
  const isListed = event !== null && (guest !== null || event.visibility !== 'private');
  const items = isListed ? (await read(listItems({ client, path: { id } }))).data : [];
  return {
    event,
    items: event === null ? [] : offeredItems(event, items),
    guest,
    isOn: features.guestRsvp && (event?.enabledModules.includes('guestRsvp') ?? true),
    invitation,
    linkToken: query.text('token'),
    isAgain: query.has('again'),
    refused: Math.min(10, Number(query.text('refused')) || 0),
    by: readWay(query),
  };
};

export const actions = guestAnswerActions;
