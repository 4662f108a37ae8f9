import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, ref, timestamp } from '../../../http/schemas.ts';
import { Person } from '../../people/schemas.ts';

const statuses = ['booked', 'waiting'] as const;
const maxSeats = 20;

const seats = Type.Integer({
  minimum: 1,
  maximum: maxSeats,
  description: `A whole number from 1 to ${maxSeats}.`,
  examples: [2],
});

export const NewBooking = body(
  {
    seats,
    waitlist: Type.Optional(
      Type.Boolean({ description: 'Join the waitlist if the seats are not free. Default: false.' }),
    ),
  },
  { examples: [{ seats: 2, waitlist: true }] },
);
export const BookingChange = body({ seats }, { examples: [{ seats: 1 }] });

const common = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0b1'] }),
  seats: Type.Integer({ examples: [2] }),
  status: oneOf(statuses, {
    description: '`waiting` becomes `booked` automatically when the seats are free.',
  }),
  position: nullable(Type.Integer({ minimum: 1, examples: [3] }), {
    description: 'Position in the waitlist, from 1; null if the status is `booked`.',
  }),
  createdAt: timestamp({ description: 'When the seats were booked, or the waitlist was joined.' }),
};

export const Booking = named(
  'Booking',
  Type.Object({
    ...common,
    eventId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1'] }),
    userId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
  }),
);
export type Booking = Static<typeof Booking>;
/** `n`: the order of bookings and waitlist entries of an event; each gets the next number. */
export type BookingRow = Booking & { n: number; createdAt: Date };

export const ListedBooking = named(
  'ListedBooking',
  Type.Object({
    ...common,
    user: ref(Person),
  }),
);
export type ListedBooking = Static<typeof ListedBooking>;

export const BookingListQuery = Type.Object({
  status: Type.Optional(oneOf(statuses, { description: 'Default: both.' })),
  ...cursorQuery,
});

export const BookingList = cursorPage(ListedBooking);
