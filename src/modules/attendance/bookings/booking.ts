import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { EventParams } from '../../events/schemas.ts';
import type { AttendanceServices } from '../services.ts';
import { findOwnBooking } from './policy.ts';
import { listBookingAccess } from './repo.ts';
import { Booking, BookingChange, NewBooking } from './schemas.ts';

const common = {
  path: '/v1/events/:id/booking',
  session: { guests: 'ofEvent' },
  caller: 'fresh',
  params: EventParams,
} as const;

export const bookSeats = defineEndpoint({
  ...common,
  method: 'POST',
  summary: 'Book seats, or join the waitlist',
  description:
    'Concurrent bookings never exceed `capacity` (0: no limit), and no booking overtakes the waitlist. With ' +
    '`waitlist: true` the caller joins the waitlist if the seats are not free. The waitlist moves up automatically, ' +
    'strictly in the order of joining: its first entry is booked as soon as enough seats are free. Each person has ' +
    'one booking or one place in the waitlist. A block between caller and organizer does not prevent a booking. ' +
    'While bookings are switched off, by the operator or in `enabledModules`, new bookings and new places in the ' +
    'waitlist result in a 403, and the waitlist continues to move up. An event that has ended takes bookings too. Where ' +
    '`rsvpApproval` is `organizer`, seats and the waitlist need an RSVP of `going`.',
  caller: 'lockedByWrite',
  retry: 'idempotent',
  body: NewBooking,
  response: { 201: Booking },
  problems: [
    'event_not_found',
    'removed_from_event',
    'feature_disabled',
    'module_disabled',
    'rsvp_required',
    'event_cancelled',
    'rsvp_closed',
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

export const getBooking = defineEndpoint({
  ...common,
  method: 'GET',
  summary: 'Get your booking or your place in the waitlist',
  description:
    '404 with `booking_not_found` if the caller has neither. Also possible if the caller may no longer see the event.',
  response: { 200: Booking },
  problems: ['event_not_found', 'booking_not_found'],

  async handler({ caller, params }, { db }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const [access] = await listBookingAccess(db, [{ eventId, userId: caller.id }], { withPosition: true });
    const booking = findOwnBooking(access ?? null, caller);
    if (booking instanceof Problem) throw booking;
    return { status: 200, body: booking };
  },
});

export const changeBooking = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change the number of seats',
  description:
    'Fewer seats are always possible, also while bookings are switched off or if the caller may no longer see the ' +
    'event; the freed seats go to the waitlist. More seats are possible only while they are free and the waitlist is ' +
    'empty.',
  caller: 'lockedByWrite',
  body: BookingChange,
  response: { 200: Booking },
  problems: [
    'event_not_found',
    'booking_not_found',
    'removed_from_event',
    'feature_disabled',
    'module_disabled',
    'rsvp_required',
    'event_cancelled',
    'rsvp_closed',
    'no_seats',
  ],

  async handler({ caller, params, body }, { bookings }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const booking = await bookings.apply({ kind: 'resize', eventId, caller, seats: body.seats });
    return { status: 200, body: booking };
  },
});

export const cancelBooking = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Cancel your booking, or leave the waitlist',
  description:
    'Also possible if the event is cancelled, while bookings are switched off, and if the caller may no longer see ' +
    'the event. The freed seats go to the waitlist.',
  caller: 'lockedByWrite',
  response: { 200: Success },
  problems: ['event_not_found', 'booking_not_found'],

  async handler({ caller, params }, { bookings }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    await bookings.apply({ kind: 'cancel', eventId, caller });
    return { status: 200, body: { success: true as const } };
  },
});
