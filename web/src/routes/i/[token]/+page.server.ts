import { getFeatures, getLinkInvitation } from '@potluck/client';
import { invitationActions } from '#lib/event/guests/server/invitation-answer.ts';
import { invitationHeader } from '#lib/event/guests/server/invitation-header.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

const answers = ['going', 'interested', 'declined'] as const;

/** Programs that check mails open links, and press no buttons: opening the page changes nothing. */
export const load: PageServerLoad = async ({ locals: { api: client }, params: { token }, url }) => {
  const [invitation, features] = await Promise.all([
    read(getLinkInvitation({ client, headers: invitationHeader(token) })),
    read(getFeatures({ client })),
  ]);
  const asked = readQuery(url).text('answer');
  return {
    ...{ invitation, token, mayBeGuest: features.guestRsvp },
    /** The answer that was chosen in the mail. */
    chosen: answers.find((answer) => answer === asked) ?? 'going',
  };
};

export const actions = invitationActions;
