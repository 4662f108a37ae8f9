/** Faults of RSVPs, bookings and the waitlist. */
import { type Fault, faultsOf } from '../fault.ts';

export const attendanceFaults: Fault[] = [
  ...faultsOf('src/modules/attendance/bookings/policy.ts', [
    [
      "access && isVisible(access, viewer, access.standing) ? 'booking_not_found'",
      "access ? 'booking_not_found'",
      'bookings',
      'reveals a private event',
    ],
    [
      'if (!access || !isVisible(access, viewer, access.standing))',
      'if (!access)',
      'bookings',
      'a booking of a private event',
    ],
    ['if (!bookingsEnabled)', 'if (false)', 'booking-changes', 'the flag does not stop bookings'],
    [
      "if (!access.enabledModules.includes('booking'))",
      'if (false)',
      'bookings',
      'bookings with the module switched off',
    ],
    [
      "if (access.status === 'cancelled') return new Problem('event_cancelled');",
      '',
      'bookings',
      'bookings of a cancelled event',
    ],
    ["if (access.booking) return new Problem('already_booked');", '', 'bookings', 'two bookings of a person'],
    [
      'waitingCount === 0 && (capacity === 0',
      '(capacity === 0',
      'bookings',
      'a booking overtakes the waitlist',
    ],
    [
      'bookedCount + seats <= capacity)',
      'bookedCount + seats <= capacity + 1)',
      'bookings',
      'one seat too many',
    ],
    ['capacity !== 0 && seats > capacity', 'false', 'bookings', 'an entry that blocks the waitlist forever'],
    ['if (!areFree(access, added))', 'if (false)', 'booking-changes', 'a booking grows beyond the capacity'],
  ]),
  ...faultsOf('src/modules/attendance/lock-event-counters.ts', [
    ['for no key update of c`', '`', 'booking-races', 'bookings of two servers share the same seats'],
  ]),
  ...faultsOf('src/modules/attendance/bookings/apply.ts', [
    [
      'const current = access && addMove(access, moved);',
      'const current = access;',
      'booking-races',
      'bookings of a batch share the same seats',
    ],
    [
      '...[...eventsToPromote].map((eventId) => promoteWaitlist(eventId)),',
      '',
      'booking-changes',
      'the waitlist does not move up',
    ],
    [
      'changeStatement({ records: [changedEvents(moves.map(({ eventId }) => eventId))] }),',
      '',
      'booking-changes',
      'another server shows the former number of booked seats',
    ],
  ]),
  ...faultsOf('src/modules/attendance/rsvps/policy.ts', [
    [
      '!isVisible(event, viewer, standing) && (status !== null',
      'false && (status !== null',
      'rsvps',
      'an RSVP to a private event',
    ],
    [
      "event.status === 'cancelled' && !(addsNobody",
      'false && !(addsNobody',
      'rsvps',
      'an RSVP to a cancelled event',
    ],
    ['going: to.going - from.going,', 'going: to.going,', 'rsvps', 'drifting counter'],
    [
      'extraGuests: going * (',
      'extraGuests: (',
      'party-size',
      'counts the guests of a person who does not come',
    ],
  ]),
  ...faultsOf('src/modules/attendance/rsvps/apply.ts', [
    [
      'changeStatement({ records: [changedEvents(eventIds)] }),',
      '',
      'row-versions',
      'another server shows the former number of guests',
    ],
  ]),
];
