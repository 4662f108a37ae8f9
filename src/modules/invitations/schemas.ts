import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../http/cursors.ts';
import { body, named, nullable, oneOf, prose, ref, timestamp } from '../../http/schemas.ts';
import { country, email, phone } from '../accounts/codes/schemas.ts';
import { personName } from '../accounts/profile/profile-fields.ts';
import { Person } from '../people/schemas.ts';
import { deliveries, invitationStatuses } from './repo.ts';

export const InvitationParams = Type.Object({
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0b1'] }),
});

const maxPeople = 100;

const Invitee = Type.Object(
  {
    userId: Type.Optional(
      Type.String({ maxLength: 100, description: 'An account. No other field beside it.' }),
    ),
    name: Type.Optional(personName),
    email: Type.Optional(email),
    phone: Type.Optional(phone),
    country,
    maxUses: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description:
          'How many people can answer by the link, without a contact. Default: 1. Above 1, `name` is its label.',
      }),
    ),
    expiresAt: Type.Optional(
      Type.String({
        format: 'timestamp',
        description: 'When the link ends, without a contact. Default: never.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Invitee = Static<typeof Invitee>;

export const NewInvitations = body(
  {
    people: Type.Array(Invitee, { minItems: 1, maxItems: maxPeople }),
    message: Type.Optional(prose(500, { description: 'What the people read with the invitation.' })),
  },
  {
    examples: [
      {
        people: [
          { name: 'Mara', email: 'mara@example.org' },
          { userId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de001' },
          { name: 'Neighbours', maxUses: 40 },
        ],
        message: 'Bring a friend!',
      },
    ],
  },
);

/** In the largest valid batch: the body, the list, the message, and each person with its fields. */
export const maxInviteValues = 3 + maxPeople * (1 + Object.keys(Invitee.properties).length);

const forMaker = 'Null for others than the person who made the invitation.';

export const Invitation = named(
  'Invitation',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0b1'] }),
    name: nullable(Type.String({ examples: ['Mara'] })),
    user: nullable(ref(Person), {
      description:
        'The account that was invited by its id, or that has answered by the link; otherwise null.',
    }),
    status: nullable(oneOf(invitationStatuses), { description: 'Null for a link for many.' }),
    extraGuests: Type.Integer({ examples: [1] }),
    reply: nullable(Type.String({ examples: ['I will be late.'] })),
    delivery: oneOf(deliveries, {
      description:
        '`none`: a link to pass on. `failed`: the address does not exist, its owner refuses all invitations, or the server does ' +
        'not send messages of this kind.',
    }),
    maxUses: Type.Integer({ examples: [1] }),
    uses: Type.Integer({ description: 'How many people have answered by a link for many.', examples: [0] }),
    expiresAt: nullable(timestamp()),
    createdAt: timestamp(),
    answeredAt: nullable(timestamp()),
    remindedAt: nullable(timestamp()),
    email: nullable(Type.String({ examples: ['mara@example.org'] }), { description: forMaker }),
    phone: nullable(Type.String({ examples: ['+12025550102'] }), { description: forMaker }),
    url: nullable(
      Type.String({ examples: ['https://events.example.org/i/kq3Zt8m0cQ9MAZei9GweejSaUS8MigcA'] }),
      {
        description: `The link. ${forMaker} Null for an account that was invited by its id.`,
      },
    ),
  }),
);
export type Invitation = Static<typeof Invitation>;

export const MadeInvitations = named(
  'MadeInvitations',
  Type.Object({
    data: Type.Array(ref(Invitation), { description: 'In the order of the request.' }),
    meta: Type.Object({
      created: Type.Integer({ examples: [2] }),
      existing: Type.Integer({ description: 'Those that were invited before.', examples: [1] }),
      waiting: nullable(Type.Object({ number: Type.Integer({ examples: [12] }), until: timestamp() }), {
        description: 'The invitations that wait for the limits of the caller, and when the last one leaves.',
      }),
    }),
  }),
);

export const InvitationChange = body(
  {
    name: Type.Optional(nullable(personName)),
    email: Type.Optional(email),
    phone: Type.Optional(phone),
    country,
  },
  { examples: [{ email: 'mara@example.org' }] },
);
export type InvitationChange = Static<typeof InvitationChange>;

export const InvitationListQuery = Type.Object({
  status: Type.Optional(oneOf(invitationStatuses)),
  ...cursorQuery,
});

const count = Type.Integer({ examples: [3] });
export const InvitationPage = cursorPage(Invitation, {
  counts: Type.Object(
    { pending: count, going: count, interested: count, declined: count },
    { description: 'Of all invitations to the event, without links for many.' },
  ),
});

export const Reminded = named(
  'RemindedInvitations',
  Type.Object({ recipients: Type.Integer({ description: 'How many people are reminded.', examples: [7] }) }),
);
