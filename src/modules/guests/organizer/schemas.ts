import { type Static, Type } from 'typebox';
import { body, listOf, named, oneOf, ref } from '../../../http/schemas.ts';
import { personName } from '../../accounts/profile/profile-fields.ts';
import { Guest } from '../../attendance/guests/schemas.ts';
import { rsvpStatuses } from '../../events/repo.ts';
import { EventParams } from '../../events/schemas.ts';
import { Claim, ItemParams, NewClaim } from '../../items/schemas.ts';
import { answerFields, maxClaimValues, refusedClaims } from '../schemas.ts';

/** The maximum number of guests of a request. */
const maxGuests = 100;

const NewGuest = Type.Object(
  {
    name: personName,
    status: Type.Optional(oneOf(rsvpStatuses, { default: 'going' })),
    ...answerFields,
  },
  { additionalProperties: false },
);

export const NewGuests = body(
  { guests: Type.Array(NewGuest, { minItems: 1, maxItems: maxGuests }) },
  { examples: [{ guests: [{ name: 'Grandma Ida' }, { name: 'The Novaks', extraGuests: 3 }] }] },
);
export type NewGuests = Static<typeof NewGuests>;

/** In the largest valid body: the body, the list, and each guest with its fields. */
export const maxGuestValues = 2 + maxGuests * (Object.keys(NewGuest.properties).length + maxClaimValues);

/** A guest as the list of guests has it, with what the organizer entered for it. */
export const AddedGuest = named(
  'AddedGuest',
  Type.Object({ ...Guest.properties, claims: Type.Array(ref(Claim)), refused: refusedClaims }),
);
export type AddedGuest = Static<typeof AddedGuest>;
export const AddedGuests = listOf(AddedGuest);

export const AddedGuestChange = Type.Partial(
  body({
    name: personName,
    status: oneOf(rsvpStatuses),
    extraGuests: Type.Integer({ minimum: 0, maximum: 10 }),
  }),
  { additionalProperties: false, examples: [{ extraGuests: 2 }] },
);

const userId = Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] });

export const GuestParams = Type.Object({ ...EventParams.properties, userId });
export const ClaimantParams = Type.Object({ ...ItemParams.properties, userId });

export const ClaimForGuest = body(
  {
    userId: Type.String({
      maxLength: 100,
      description: 'The guest.',
      examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'],
    }),
    ...NewClaim.properties,
  },
  {
    examples: [{ userId: '0197a2f4-6c1e-7a34-9a51-2f0c8a6de001', quantity: 1, note: 'Apple cake' }],
  },
);
