import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { Booking, BookingChange } from './booking-schemas.ts';
import type { AttendanceServices } from './services.ts';

export const changeBooking = defineEndpoint({
  method: 'PATCH',
  path: '/v1/events/:id/booking',
  summary: 'Change the number of seats',
  description:
    'Fewer seats are always possible, also while bookings are switched off or if the caller may no longer see the ' +
    'event; the freed seats go to the waitlist. More seats are possible only while they are free and the waitlist is ' +
    'empty.',
  access: 'required',
  verifiesCaller: true,
  params: EventParams,
  body: BookingChange,
  response: { 200: Booking },
  problems: [
    'event_not_found',
    'booking_not_found',
    'feature_disabled',
    'module_disabled',
    'event_cancelled',
    'no_seats',
  ],

  async handler({ caller, params, body }, { bookings }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const booking = await bookings.apply({ kind: 'resize', eventId, caller, seats: body.seats });
    return { status: 200, body: booking };
  },
});
