import { type Static, Type } from 'typebox';
import { body, named, nullable, oneOf, ref, timestamp } from '../../http/schemas.ts';
import { code, country, email, phone } from '../accounts/codes/schemas.ts';
import { personName } from '../accounts/profile/profile-fields.ts';
import { LinkToken } from '../accounts/sign-in/schemas.ts';
import { Booking } from '../attendance/bookings/schemas.ts';
import { askFields } from '../attendance/requests/schemas.ts';
import { requestStatuses, rsvpStatuses } from '../events/repo.ts';
import { Claim, NewClaim } from '../items/schemas.ts';
import { Person } from '../people/schemas.ts';

/** The claims of one answer. */
const maxClaims = 10;

const contact = {
  email: Type.Optional(email),
  phone: Type.Optional(phone),
  country,
  deviceToken: Type.Optional(
    Type.String({ maxLength: 100, description: 'As in the requests of a sign-in.' }),
  ),
};

export const GuestCodeRequest = body(contact, { examples: [{ email: 'mara@example.org' }] });
export type GuestCodeRequest = Static<typeof GuestCodeRequest>;

const GuestClaim = Type.Object(
  { itemId: Type.String({ maxLength: 100 }), ...NewClaim.properties },
  { additionalProperties: false },
);

/** What an answer has beside its status. */
export const answerFields = {
  extraGuests: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  claims: Type.Optional(
    Type.Array(GuestClaim, { maxItems: maxClaims, description: 'No item twice. Only with `going`.' }),
  ),
};
/** In the largest valid claims of an answer: the list, and each claim with its fields. */
export const maxClaimValues = 1 + maxClaims * (1 + Object.keys(GuestClaim.properties).length);

export const GuestAnswer = body(
  {
    ...contact,
    code: Type.Optional(code),
    linkToken: Type.Optional(LinkToken.properties.token),
    name: Type.Optional(personName),
    status: Type.Optional(
      oneOf(rsvpStatuses, {
        description: 'Required with `name`. Without both, a guest of the event gets a token again.',
      }),
    ),
    ...answerFields,
    ...askFields,
    asAccount: Type.Optional(
      Type.Boolean({ description: 'Answers for the account to which the contact belongs.' }),
    ),
  },
  {
    examples: [
      {
        email: 'mara@example.org',
        code: '493027',
        name: 'Mara Lindgren',
        status: 'going',
        extraGuests: 1,
        claims: [{ itemId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1', quantity: 1, note: 'Lasagne, vegan' }],
      },
    ],
  },
);
export type GuestAnswer = Static<typeof GuestAnswer>;

const myRsvp = nullable(oneOf(rsvpStatuses));
const expiresAt = timestamp({
  description: 'When the token expires: 30 days after the end of the event, at most 400 days from now.',
});

export const refusedClaims = Type.Array(
  Type.Object({
    itemId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1.1'] }),
    code: Type.String({
      description: 'The code of the problem that POST /v1/items/{id}/claim would respond with.',
      examples: ['quantity_unavailable'],
    }),
    available: nullable(Type.Integer({ examples: [1] }), {
      description: 'The quantity that is left; null for an item of another event.',
    }),
  }),
  { description: 'Claims that were not made.' },
);

export const GuestSession = named(
  'GuestSession',
  Type.Object({
    guestToken: Type.String({
      description: 'Send it as `Authorization: Bearer …` to operations of this event. It is not refreshed.',
      examples: ['pg_AZei9Gwe…'],
    }),
    expiresAt,
    user: ref(Person),
    myRsvp,
    rsvpCount: Type.Integer({ examples: [14] }),
    myRequest: nullable(oneOf(requestStatuses), {
      description: 'The request to join, where the organizer approves guests.',
    }),
    claims: Type.Array(ref(Claim)),
    refused: refusedClaims,
  }),
);
export type GuestSession = Static<typeof GuestSession>;

export const GuestRecord = named(
  'GuestRecord',
  Type.Object({
    user: ref(Person),
    contact: nullable(
      Type.String({
        description: 'Without most of it; null for a guest without a contact.',
        examples: ['m…@example.org'],
      }),
    ),
    myRsvp,
    extraGuests: Type.Integer({ examples: [1] }),
    claims: Type.Array(ref(Claim)),
    booking: nullable(ref(Booking)),
    expiresAt,
  }),
);
export type GuestRecord = Static<typeof GuestRecord>;

export const GuestChange = body({ name: personName }, { examples: [{ name: 'Mara Lindgren' }] });
