/** What guests do at an event, apart from items: RSVPs, saved events, bookings, and the guest list. */
import { cursorPage } from './fields.ts';
import {
  asking,
  type Operation,
  of,
  optional,
  privateRead,
  privateRow,
  type RowContext,
  required,
  rowsOfOwners,
  rowsOfPeople,
  text,
  withToken,
} from './operation.ts';
import { flag, integer, oneOf, prose } from './rules.ts';

export const going = {
  before: async ({ api, caller, event }: RowContext) =>
    caller && api.post(`/v1/events/${event}/rsvp`, caller.token, { status: 'going' }),
};
const booked = {
  before: async ({ api, caller, event }: RowContext) =>
    caller && api.post(`/v1/events/${event}/booking`, caller.token, { seats: 1 }),
};
const pathOfRequest = ({ event, organizer }: RowContext) => `/v1/events/${event}/requests/${organizer.id}`;
const seats = integer(1, 20);
const rowsOfBooking = {
  rows: {
    'without one': { statuses: withToken(404) },
    'with one': booked,
    private: privateRow(200, booked),
  },
};

export const attendanceOperations: Record<string, Operation> = {
  'POST /v1/events/{id}/rsvp': {
    ...required(),
    ...of(
      { status: oneOf('going', 'interested', 'declined', null) },
      { extraGuests: integer(0, 10), isHidden: flag, reply: prose(300), ask: flag, message: prose(300) },
    ),
    example: () => ({ status: 'going' }),
    ...rowsOfPeople(200),
  },
  'GET /v1/events/{id}/requests': {
    ...required(),
    ...asking({ status: text(oneOf('pending', 'refused')), ...cursorPage }),
    ...rowsOfOwners(200),
  },
  'PUT /v1/events/{id}/requests/{userId}': {
    ...required(),
    ...of({ status: oneOf('approved', 'refused') }),
    example: () => ({ status: 'approved' }),
    rows: {
      'without one': { statuses: [401, 401, 403, 403, 404, 403, 404, 401], path: pathOfRequest },
      private: { ...privateRow(404), path: pathOfRequest },
    },
  },
  'POST /v1/events/{id}/save': {
    ...required(),
    ...of({ saved: flag }),
    example: () => ({ saved: true }),
    ...rowsOfPeople(200),
  },
  'GET /v1/events/{id}/guests': {
    ...optional(),
    ...asking({ status: text(oneOf('going', 'interested')), ...cursorPage }),
    rows: {
      '': { statuses: [403, 401, 403, 403, 200, 403, 200, 401] },
      'for guests': {
        statuses: [403, 401, 200, 200, 200, 200, 200, 401],
        event: { guestListVisibility: 'guests' },
        ...going,
      },
      'for everyone': { event: { guestListVisibility: 'everyone' } },
      private: privateRead,
    },
  },

  'POST /v1/events/{id}/booking': {
    ...required(201),
    ...of({ seats }, { waitlist: flag }),
    example: () => ({ seats: 1 }),
    ...rowsOfPeople(201),
  },
  'GET /v1/events/{id}/booking': { ...required(), ...rowsOfBooking },
  'PATCH /v1/events/{id}/booking': {
    ...required(),
    ...of({ seats }),
    example: () => ({ seats: 1 }),
    ...rowsOfBooking,
  },
  'DELETE /v1/events/{id}/booking': { ...required(), ...rowsOfBooking },
  'GET /v1/events/{id}/bookings': {
    ...required(),
    ...asking({ status: text(oneOf('booked', 'waiting')), ...cursorPage }),
    ...rowsOfOwners(200),
  },
};
