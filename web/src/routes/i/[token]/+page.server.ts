import { getFeatures, getLinkInvitation } from '@potluck/client';
import { invitationActions } from '#lib/event/guests/server/invitation-answer.ts';
import { invitationHeader } from '#lib/event/guests/server/invitation-header.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

/** Programs that check mails open links, and press no buttons: opening the page changes nothing. */
export const load: PageServerLoad = async ({ locals: { api: client }, params: { token } }) => {
  const [invitation, features] = await Promise.all([
    read(getLinkInvitation({ client, headers: invitationHeader(token) })),
    read(getFeatures({ client })),
  ]);
  return { invitation, token, mayBeGuest: features.guestRsvp };
};

export const actions = invitationActions;
