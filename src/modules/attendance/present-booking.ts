/** Converts rows of bookings to response bodies. */
import type { BookingStatus } from '../events/waitlist.ts';
import { type PersonRow, toPerson } from '../users/present.ts';
import type { Booking, ListedBooking } from './booking-schemas.ts';

export type BookingRow = {
  id: string;
  eventId: string;
  userId: string;
  /** The order of bookings and waitlist entries of an event: each gets the next number. */
  n: number;
  seats: number;
  status: BookingStatus;
  /** The position in the waitlist, from 1; null if the status is `booked`. */
  position: number | null;
  createdAt: Date;
};

const common = ({ id, seats, status, position, createdAt }: BookingRow) => ({
  id,
  seats,
  status,
  position,
  createdAt: createdAt.toISOString(),
});

export const toBooking = (row: BookingRow): Booking => ({
  ...common(row),
  eventId: row.eventId,
  userId: row.userId,
});

export const toListedBooking = (row: BookingRow, person: PersonRow, publicUrl: string): ListedBooking => ({
  ...common(row),
  user: toPerson(person, publicUrl),
});
