import { defineModule } from '../../http/define-module.ts';
import { bookSeats, cancelBooking, changeBooking, getBooking } from './booking.ts';
import { attendanceDeletionHooks } from './delete-account-data.ts';
import { attendanceExportSections } from './export-sections.ts';
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
