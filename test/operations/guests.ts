/** Guests without an account. */
import { randomUUID } from 'node:crypto';
import { nextAddress } from '../support/factories.ts';
import { requestGuestCode } from '../support/guests.ts';
import {
  type Operation,
  of,
  open,
  privateEvent,
  type RowContext,
  required,
  row,
  withToken,
} from './operation.ts';
import {
  countryCode,
  flag,
  integer,
  listOf,
  object,
  oneOf,
  opaque,
  orNull,
  personName,
  prose,
} from './rules.ts';

const contact = { email: opaque, phone: opaque, country: countryCode, deviceToken: prose(100) };
const claim = object({
  required: { itemId: opaque, quantity: integer(1, 10_000) },
  optional: { note: orNull(opaque) },
});
/** The token of a signed-in person is not that of a guest. */
const ofGuests = { ...required(), ...row({ statuses: withToken(404) }) };
const hidden = { statuses: Array(8).fill(404), ...privateEvent };

export const guestOperations: Record<string, Operation> = {
  'POST /v1/events/{id}/guest-code': {
    ...open(202),
    ...of({}, contact),
    example: () => ({ email: nextAddress() }),
    rows: { '': {}, private: hidden },
  },
  'POST /v1/events/{id}/guest-rsvp': {
    ...open(),
    ...of(
      {},
      {
        ...contact,
        ...{ code: opaque, linkToken: opaque, name: personName(80), status: oneOf('going', 'interested') },
        ...{ extraGuests: integer(0, 10), claims: listOf(claim, 0, 10), ask: flag, message: prose(300) },
        asAccount: flag,
      },
    ),
    example: () => ({ email: 'nobody@example.org', code: '123456', name: 'Mara', status: 'going' }),
    rows: {
      '': {
        body: async ({ api, event }: RowContext) => {
          const email = nextAddress();
          const code = await requestGuestCode(api, event, { email });
          return { email, code, name: 'Mara', status: 'going' };
        },
      },
      private: hidden,
    },
  },
  'GET /v1/events/{id}/guest': ofGuests,
  'PATCH /v1/events/{id}/guest': {
    ...ofGuests,
    ...of({ name: personName(80) }),
    example: () => ({ name: 'Mara Lindgren' }),
  },
  'DELETE /v1/events/{id}/guest': ofGuests,
  'GET /v1/events/{id}/guest/export': ofGuests,
  'GET /v1/me/guests': required(),
  'POST /v1/me/guests/{id}/take-over': {
    ...required(),
    ...row({ statuses: withToken(404), path: () => `/v1/me/guests/${randomUUID()}/take-over` }),
  },
};
