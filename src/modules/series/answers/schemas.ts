import { type Static, Type } from 'typebox';
import { cursorPage } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, ref } from '../../../http/schemas.ts';
import { askFields } from '../../attendance/requests/schemas.ts';
import { rsvpFields } from '../../attendance/rsvps/schemas.ts';
import { requestStatuses, rsvpStatuses } from '../../events/repo.ts';
import { FoundUser } from '../../people/schemas.ts';

export const NewSeriesRsvp = body(
  {
    status: nullable(oneOf(rsvpStatuses), {
      description:
        'Null ends the RSVP to the series, withdraws a request, and removes the RSVPs to coming dates that came from it.',
    }),
    ...rsvpFields,
    ...askFields,
  },
  { examples: [{ status: 'going', extraGuests: 1 }] },
);
export type NewSeriesRsvp = Static<typeof NewSeriesRsvp>;

export const SeriesRsvpResult = named(
  'SeriesRsvpState',
  Type.Object({
    myRsvp: nullable(oneOf(rsvpStatuses), { description: 'The RSVP to the series.' }),
    affected: Type.Integer({
      examples: [12],
      description: 'Coming dates whose RSVP comes from this answer; with null, those whose RSVP was removed.',
    }),
    myRequest: Type.Optional(
      oneOf(requestStatuses, {
        description: 'The request to join all dates, of a caller who has one that is not approved.',
      }),
    ),
  }),
);
export type SeriesRsvpResult = Static<typeof SeriesRsvpResult>;

const SeriesAnswer = Type.Object({
  eventId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
  status: nullable(oneOf(rsvpStatuses), { description: 'Null without an answer.' }),
  extraGuests: Type.Integer({ examples: [1], description: 'People whom the guest brings.' }),
});

const SeriesGuest = named(
  'SeriesGuest',
  Type.Object({
    user: ref(FoundUser),
    standing: nullable(oneOf(rsvpStatuses), { description: 'The RSVP to the series.' }),
    answers: Type.Array(SeriesAnswer, {
      description: 'The answers to the next 12 dates, the first one first.',
    }),
  }),
);
export type SeriesGuest = Static<typeof SeriesGuest>;
export const SeriesGuestList = cursorPage(SeriesGuest);
