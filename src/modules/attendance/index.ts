import { defineModule } from '../../http/define-module.ts';
import { bookSeats, cancelBooking, changeBooking, getBooking } from './bookings/booking.ts';
import { listBookings } from './bookings/list-bookings.ts';
import { attendanceDeletionHooks } from './delete-account-data.ts';
import { attendanceExportSections } from './export-sections.ts';
import { listGuests } from './guests/list-guests.ts';
import { setRsvp } from './rsvps/set-rsvp.ts';
import { saveEvent } from './save-event.ts';
import type { AttendanceServices } from './services.ts';

/** RSVPs, guest lists, saved events, bookings and waitlists. */
export const attendance = defineModule<AttendanceServices>({
  tag: 'Bookings',
  endpoints: {
    setRsvp,
    listGuests,
    saveEvent,
    bookSeats,
    getBooking,
    changeBooking,
    cancelBooking,
    listBookings,
  },
  deletionHooks: attendanceDeletionHooks,
  exportSections: attendanceExportSections,
});
