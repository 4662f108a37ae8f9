import { createWriteBatcher } from '../../db/batching.ts';
import { createIdempotentBatcher, type IdempotentBatcher } from '../../idempotency/idempotent-batcher.ts';
import type { EventServices } from '../events/services.ts';
import { applyBookings, type BookingCommand, bookingKey } from './apply-bookings.ts';
import { applyRsvps, rsvpKey } from './apply-rsvps.ts';
import type { BookingRow } from './present-booking.ts';
import type { RsvpCommand } from './rsvp-policy.ts';

export type AttendanceServices = EventServices & {
  /** Sets and removes RSVPs. `apply` returns the event's number of RSVPs after the command. */
  rsvps: { apply(command: RsvpCommand): Promise<number> };
  /**
   * Makes, changes and cancels bookings. `apply` returns the booking as it is after the command or was at its
   * end.
   */
  bookings: IdempotentBatcher<BookingCommand, BookingRow>;
};

export const createAttendanceServices = ({
  db,
  clock,
  flags,
}: EventServices): Pick<AttendanceServices, 'rsvps' | 'bookings'> => ({
  rsvps: {
    apply: createWriteBatcher<RsvpCommand, number>(
      (commands, waits) => applyRsvps(db, commands, clock(), waits),
      {
        keysOf: (command) => [rsvpKey(command)],
        senderOf: ({ caller }) => caller.id,
        targetOf: ({ eventId }) => eventId,
      },
    ),
  },
  bookings: createIdempotentBatcher(
    async (entries, waits) => {
      const context = { now: clock(), bookingsEnabled: await flags.isOn('bookings') };
      return applyBookings(db, entries, context, waits);
    },
    { keyOf: bookingKey, targetOf: ({ eventId }) => eventId },
  ),
});
