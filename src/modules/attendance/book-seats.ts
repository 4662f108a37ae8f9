import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { Booking, NewBooking } from './booking-schemas.ts';
import type { AttendanceServices } from './services.ts';

export const bookSeats = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/booking',
  summary: 'Book seats, or join the waitlist',
  description:
    'Concurrent bookings never exceed `capacity` (0: no limit), and no booking overtakes the waitlist. With ' +
    '`waitlist: true` the caller joins the waitlist if the seats are not free. The waitlist moves up automatically, ' +
    'strictly in the order of joining: its first entry is booked as soon as enough seats are free. Each person has ' +
    'one booking or one place in the waitlist. A block between caller and organizer does not prevent a booking. ' +
    'While bookings are switched off, by the operator or in `enabledModules`, new bookings and new places in the ' +
    'waitlist result in a 403, and the waitlist continues to move up. An event that has ended takes bookings too.',
  access: 'required',
  verifiesCaller: true,
  idempotent: true,
  params: EventParams,
  body: NewBooking,
  response: { 201: Booking },
  problems: [
    'event_not_found',
    'feature_disabled',
    'module_disabled',
    'event_cancelled',
    'already_booked',
    'no_seats',
  ],

  async handler({ caller, params, body, idempotency }, { bookings }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { seats, waitlist = false } = body;
    const command = { kind: 'book' as const, eventId, caller, seats, waitlist };
    return bookings.respond(command, idempotency, 201, (booking) => booking);
  },
});
