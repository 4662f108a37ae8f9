/** The answer on the page of an invitation's link. */
import { answerLinkInvitation, getLinkInvitation } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { extraGuestsOf } from '#lib/event/guests/answer.ts';
import { takeSeatsToo } from '#lib/event/guests/server/give-answer.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { keepGuest, readPeople } from './guest-answer.ts';
import { invitationHeader } from './invitation-header.ts';

const statuses = ['going', 'interested', 'declined'] as const;

function readAnswer(form: PageFields) {
  return {
    ...texts(form, 'name', 'reply'),
    status: statuses.find((each) => each === form.get('status')) ?? 'going',
    people: readPeople(form),
  };
}

export const invitationActions = {
  answer: formAction({
    access: 'anyone',
    fields: readAnswer,
    send: ({ client, path }, { status, people, name, reply }) =>
      answerLinkInvitation({
        client,
        headers: invitationHeader(path.token ?? ''),
        body: {
          status,
          ...(status !== 'declined' && { extraGuests: extraGuestsOf(people) }),
          ...(name && { name }),
          ...(reply && { reply }),
        },
      }),
    async done({ data: { guestToken, expiresAt, myRsvp } }, { people }, submission) {
      const { client, path } = submission;
      const headers = invitationHeader(path.token ?? '');
      const { event } = (await getLinkInvitation({ client, headers })).data;
      if (guestToken && expiresAt) keepGuest(submission, event.id, { guestToken, expiresAt });
      if (myRsvp === 'going') await takeSeatsToo(client, event, people, guestToken);
      redirect(303, `/i/${path.token}`);
    },
  }),
};
