import { defineModule } from '../../http/define-module.ts';
import { bookSeats, cancelBooking, changeBooking, getBooking } from './bookings/booking.ts';
import { listBookings } from './bookings/list-bookings.ts';
import { attendanceDeletionHooks, requestDepartureHook } from './delete-account-data.ts';
import { attendanceExportSections } from './export-sections.ts';
import { listGuests } from './guests/list-guests.ts';
import { decideRequest, decideSeriesRequest } from './requests/decide-request.ts';
import { listRequests, listSeriesRequests } from './requests/list-requests.ts';
import type { Declining } from './rsvps/set-rsvp.ts';
import { setRsvp } from './rsvps/set-rsvp.ts';
import { saveEvent } from './save-event.ts';
import { answerRestoredDate } from './series/answer-restored-date.ts';
import type { AttendanceServices } from './services.ts';

/** RSVPs, requests to join, guest lists, saved events, bookings and waitlists. */
export const attendance = defineModule<AttendanceServices & Declining>({
  tag: 'Bookings',
  endpoints: {
    setRsvp,
    listGuests,
    listRequests,
    decideRequest,
    listSeriesRequests,
    decideSeriesRequest,
    saveEvent,
    bookSeats,
    getBooking,
    changeBooking,
    cancelBooking,
    listBookings,
  },
  deletionHooks: attendanceDeletionHooks,
  departureHooks: [requestDepartureHook],
  restoredDateHooks: [answerRestoredDate],
  exportSections: attendanceExportSections,
});
