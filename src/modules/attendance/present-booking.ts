/** Bookings as they leave the server. */
import { type PersonRow, toPerson } from '../users/present.ts';
import type { Booking, ListedBooking } from './booking-schemas.ts';

export type BookingStatus = 'booked' | 'waiting';

export type BookingRow = {
  id: string;
  eventId: string;
  userId: string;
  /** Who came first: counts up within the event. */
  n: number;
  seats: number;
  status: BookingStatus;
  /** In the waitlist, from 1; null for who is booked. */
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
