import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import { findOwnBooking } from './booking-policy.ts';
import { listBookingAccess } from './booking-repo.ts';
import { Booking } from './booking-schemas.ts';
import type { AttendanceServices } from './services.ts';

export const getBooking = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/booking',
  summary: 'Get your booking or your place in the waitlist',
  description:
    '404 with `booking_not_found` if the caller has neither. Also possible if the caller may no longer see the event.',
  access: 'required',
  params: EventParams,
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
