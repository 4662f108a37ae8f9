import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import type { AttendanceServices } from './services.ts';

export const cancelBooking = defineEndpoint({
  method: 'DELETE',
  path: '/v1/events/:id/booking',
  summary: 'Cancel your booking, or leave the waitlist',
  description:
    'Also possible if the event is cancelled, while bookings are switched off, and if the caller may no longer see ' +
    'the event. The freed seats go to the waitlist.',
  access: 'required',
  verifiesCaller: true,
  params: EventParams,
  response: { 200: Success },
  problems: ['event_not_found', 'booking_not_found'],

  async handler({ caller, params }, { bookings }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    await bookings.apply({ kind: 'cancel', eventId, caller });
    return { status: 200, body: { success: true as const } };
  },
});
