import { defineModule } from '../../http/define-module.ts';
import { bookSeats } from './book-seats.ts';
import { cancelBooking } from './cancel-booking.ts';
import { changeBooking } from './change-booking.ts';
import { attendanceDeletionHooks } from './delete-account-data.ts';
import { attendanceExportSections } from './export-sections.ts';
import { getBooking } from './get-booking.ts';
import { listBookings } from './list-bookings.ts';
import { listGuests } from './list-guests.ts';
import { saveEvent } from './save-event.ts';
import type { AttendanceServices } from './services.ts';
import { setRsvp } from './set-rsvp.ts';

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
