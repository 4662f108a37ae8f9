/** Invitations to an event, for its organizers. */
import { cursorPage } from './fields.ts';
import {
  asking,
  type Operation,
  of,
  ownersOnly,
  privateRow,
  type RowContext,
  required,
  rowsOfOwners,
  text,
} from './operation.ts';
import {
  countryCode,
  integer,
  listOf,
  object,
  oneOf,
  opaque,
  orNull,
  personName,
  prose,
  timestamp,
} from './rules.ts';

const contact = { email: opaque, phone: opaque, country: countryCode };
export const invitee = object({
  required: {},
  optional: {
    userId: opaque,
    name: personName(80),
    ...contact,
    maxUses: integer(1, 10_000),
    expiresAt: timestamp,
  },
});

/** Rows of an operation on an invitation that the organizer of the event has made. */
const ofInvitation = (tail: string, statuses = ownersOnly(200)) => {
  const path = async ({ api, organizer, event }: RowContext) => {
    const people = [{ name: 'Mara' }];
    const { body } = await api.post(`/v1/events/${event}/invitations`, organizer.token, { people });
    return `/v1/invitations/${body.data[0].id}${tail}`;
  };
  return { rows: { '': { statuses, path } } };
};

export const invitationOperations: Record<string, Operation> = {
  'POST /v1/events/{id}/invitations': {
    ...required(201),
    ...of({ people: listOf(invitee, 1, 100) }, { message: prose(500) }),
    example: () => ({ people: [{ name: 'Mara' }], message: 'Bring a friend!' }),
    ...rowsOfOwners(201),
  },
  'GET /v1/events/{id}/invitations': {
    ...required(),
    ...asking({ status: text(oneOf('pending', 'going', 'interested', 'declined')), ...cursorPage }),
    ...rowsOfOwners(200),
  },
  'POST /v1/events/{id}/invitations/remind': {
    ...required(202),
    rows: { '': { statuses: ownersOnly(202) }, private: privateRow(202) },
  },
  'GET /v1/invitations/{id}': { ...required(), ...ofInvitation('') },
  'PATCH /v1/invitations/{id}': {
    ...required(),
    ...of({}, { name: orNull(personName(80)), ...contact }),
    example: () => ({ name: 'Mara Lindgren' }),
    // An admin has not made it.
    ...ofInvitation('', [401, 401, 403, 403, 200, 403, 403, 401]),
  },
  'DELETE /v1/invitations/{id}': { ...required(), ...ofInvitation('') },
  'POST /v1/invitations/{id}/send': {
    ...required(202),
    // It has not failed.
    ...ofInvitation('/send', [401, 401, 403, 403, 409, 403, 409, 401]),
  },
};
