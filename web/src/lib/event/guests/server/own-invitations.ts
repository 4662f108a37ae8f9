/** The answers to the invitations that a person has received. */
import { answerMyInvitation, getEvent } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { hasSeats } from '#lib/event/guests/answer.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';

const statuses = ['going', 'interested', 'declined'] as const;

/** @param next the page that shows the answer */
export const answerInvitation = (next: '/mine?tab=invitations' | '/notifications') =>
  formAction({
    access: 'people',
    fields: (form) => texts(form, 'id', 'eventId', 'status', 'reply'),
    send: ({ client }, { id, status, reply }) =>
      answerMyInvitation({
        client,
        path: { id },
        body: { status: statuses.find((each) => each === status) ?? 'going', ...(reply && { reply }) },
      }),
    async done({ data: { status } }, { eventId }, { client }) {
      // Seats are taken on the page of the event.
      if (status === 'going') {
        const { data: event } = await getEvent({ client, path: { id: eventId } });
        if (hasSeats(event) && !event.myBooking) redirect(303, `/e/${event.id}#rsvp-title`);
      }
      redirect(303, next);
    },
  });
