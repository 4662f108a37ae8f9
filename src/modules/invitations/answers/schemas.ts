import { type Static, Type } from 'typebox';
import { cursorPage } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, prose, ref } from '../../../http/schemas.ts';
import { personName } from '../../accounts/profile/profile-fields.ts';
import { Event, ListedEvent } from '../../events/schemas.ts';
import { GuestAnswer, GuestSession } from '../../guests/schemas.ts';
import { Person } from '../../people/schemas.ts';
import { invitationStatuses } from '../repo.ts';

const reply = Type.Optional(
  prose(300, {
    description: 'For the organizer. If left out, it does not change.',
    examples: ['With pleasure!'],
  }),
);

export const InvitationAnswer = body(
  {
    status: oneOf(['going', 'interested', 'declined'], {
      description:
        '`declined` ends the RSVP, the claims, and the booking or place in the waitlist, and is always possible.',
    }),
    name: Type.Optional(personName),
    extraGuests: GuestAnswer.properties.extraGuests,
    reply,
    claims: GuestAnswer.properties.claims,
  },
  { examples: [{ status: 'going', extraGuests: 1, reply: 'With pleasure!' }] },
);
export type InvitationAnswer = Static<typeof InvitationAnswer>;

const { guestToken, expiresAt, user: _, ...written } = GuestSession.properties;

export const InvitationAnswered = named(
  'InvitationAnswered',
  Type.Object({
    status: InvitationAnswer.properties.status,
    guestToken: nullable(guestToken, {
      description: 'Null for an account, and after a first `declined`, which makes no guest.',
    }),
    expiresAt: nullable(expiresAt, { description: 'When the token expires; null without one.' }),
    user: nullable(ref(Person), { description: 'Null after a first `declined` without an account.' }),
    ...written,
  }),
);
export type InvitationAnswered = Static<typeof InvitationAnswered>;

const status = nullable(oneOf(invitationStatuses), { description: 'Null for a link for many.' });
const message = nullable(Type.String({ examples: ['It would not be the same without you.'] }));

const seriesId = Type.Optional(
  Type.String({
    description: 'Only of an invitation to all dates of a series, of which `event` is the next one.',
    examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f1'],
  }),
);

export const LinkInvitation = named(
  'LinkInvitation',
  Type.Object({
    event: ref(Event),
    name: nullable(Type.String({ examples: ['Ana'] }), {
      description: 'As the organizer calls the person; of a link for many, its label.',
    }),
    status,
    extraGuests: Type.Integer({ examples: [1] }),
    reply: nullable(Type.String({ examples: ['With pleasure!'] })),
    message,
    invitedBy: ref(Person),
    maxUses: Type.Integer({ examples: [1], description: 'Above 1: a link for many.' }),
    seriesId,
  }),
);

const OwnInvitation = named(
  'OwnInvitation',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0f1'] }),
    event: ref(ListedEvent),
    invitedBy: ref(Person),
    message,
    status,
    seriesId,
  }),
);
export const OwnInvitationPage = cursorPage(OwnInvitation);
export type OwnInvitation = Static<typeof OwnInvitation>;
