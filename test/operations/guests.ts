/** Guests without an account. */
import { randomUUID } from 'node:crypto';
import { nextAddress } from '../support/factories.ts';
import { requestGuestCode } from '../support/guests.ts';
import { expectStatus } from '../support/setup.ts';
import {
  asking,
  type Operation,
  of,
  open,
  ownersOnly,
  privateEvent,
  type RowContext,
  required,
  row,
  rowsOfOwners,
  text,
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
  quantity,
} from './rules.ts';

const contact = { email: opaque, phone: opaque, country: countryCode, deviceToken: prose(100) };
const claim = object({
  required: { itemId: opaque, quantity },
  optional: { note: orNull(opaque) },
});
/** The token of a signed-in person is not that of a guest. */
const ofGuests = { ...required(), ...row({ statuses: withToken(404) }) };
const hidden = { statuses: Array(8).fill(404), ...privateEvent };

const newGuest = object({
  required: { name: personName(80) },
  optional: {
    ...{ status: oneOf('going', 'interested'), extraGuests: integer(0, 10) },
    claims: listOf(claim, 0, 10),
  },
});

/** Adds a guest to the event of a row. */
async function addGuest({ api, event, organizer }: RowContext, claims: object[] = []): Promise<string> {
  const body = { guests: [{ name: 'Ida', claims }] };
  return expectStatus(await api.post(`/v1/events/${event}/guests`, organizer.token, body), 201).body.data[0]
    .user.id;
}

/** The row of an operation on a guest whom the organizer added. */
const rowOfGuest = (pathOf: (event: string, guest: string) => string) =>
  row({
    statuses: ownersOnly(200),
    path: async (context) => pathOf(context.event, await addGuest(context)),
  });

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
  'POST /v1/events/{id}/guests': {
    ...required(201),
    ...of({ guests: listOf(newGuest, 1, 100) }),
    example: () => ({ guests: [{ name: 'Grandma Ida', extraGuests: 1 }] }),
    ...rowsOfOwners(201),
  },
  'PATCH /v1/events/{id}/guests/{userId}': {
    ...required(),
    ...of({}, { name: personName(80), status: oneOf('going', 'interested'), extraGuests: integer(0, 10) }),
    example: () => ({ extraGuests: 2 }),
    ...rowOfGuest((event, guest) => `/v1/events/${event}/guests/${guest}`),
  },
  'DELETE /v1/events/{id}/guests/{userId}': {
    ...required(),
    ...asking({ silent: { type: 'boolean', rule: flag }, scope: text(oneOf('this', 'all')) }),
    ...rowOfGuest((event, guest) => `/v1/events/${event}/guests/${guest}`),
  },
  'GET /v1/events/{id}/guests.csv': { ...required(), ...rowsOfOwners(200) },
  'POST /v1/items/{id}/claims': {
    ...required(201),
    ...of({ userId: opaque, quantity }, { note: orNull(opaque) }),
    example: () => ({ userId: randomUUID(), quantity: 1 }),
    ...row({
      statuses: ownersOnly(201),
      body: async (context) => ({ userId: await addGuest(context), quantity: 1 }),
    }),
  },
  'DELETE /v1/items/{id}/claims/{userId}': {
    ...required(),
    ...row({
      statuses: ownersOnly(200),
      path: async (context) =>
        `/v1/items/${context.item}/claims/${await addGuest(context, [{ itemId: context.item, quantity: 1 }])}`,
    }),
  },
  'GET /v1/me/guests': required(),
  'POST /v1/me/guests/{id}/take-over': {
    ...required(),
    ...row({ statuses: withToken(404), path: () => `/v1/me/guests/${randomUUID()}/take-over` }),
  },
};
