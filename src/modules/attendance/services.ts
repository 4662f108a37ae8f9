import { type BatchWriter, createBatchWriter } from '../../idempotency/batch-writer.ts';
import type { EventServices } from '../events/services.ts';
import { type BookingCommand, bookingKey, bookingRules } from './bookings/apply.ts';
import type { BookingRow } from './bookings/schemas.ts';
import { rsvpKey, rsvpRules } from './rsvps/apply.ts';
import type { RsvpCommand, RsvpResult } from './rsvps/policy.ts';

export type AttendanceServices = EventServices & {
  /** Sets and removes RSVPs, and makes and withdraws requests to join. */
  rsvps: BatchWriter<RsvpCommand, RsvpResult>;
  /**
   * Makes, changes and cancels bookings. `apply` returns the booking as it is after the command or was at its
   * end.
   */
  bookings: BatchWriter<BookingCommand, BookingRow>;
};

export const createAttendanceServices = ({
  db,
  clock,
  flags,
}: EventServices): Pick<AttendanceServices, 'rsvps' | 'bookings'> => ({
  rsvps: createBatchWriter({
    db,
    clock,
    keyOf: rsvpKey,
    targetOf: ({ eventId }) => eventId,
    rules: rsvpRules,
  }),
  bookings: createBatchWriter({
    db,
    clock,
    keyOf: bookingKey,
    targetOf: ({ eventId }) => eventId,
    rules: (now) => bookingRules({ now, flags }),
  }),
});
