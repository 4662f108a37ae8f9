/** The table of deliberate faults, by subject. */
import type { Equivalent, Fault } from './fault.ts';
import { accessFaults } from './faults/access.ts';
import { announcementFaults } from './faults/announcements.ts';
import { backupFaults } from './faults/backups.ts';
import { attendanceFaults } from './faults/bookings.ts';
import { cacheFaults } from './faults/caches.ts';
import { claimFaults } from './faults/claims.ts';
import { doctorFaults } from './faults/doctor.ts';
import { endpointFaults } from './faults/endpoints.ts';
import { importFaults } from './faults/imports.ts';
import { instanceFaults } from './faults/instance.ts';
import { limitFaults } from './faults/limits.ts';
import { mailFaults } from './faults/mails.ts';
import { openIdConnectFaults } from './faults/openid-connect.ts';
import { peopleFaults } from './faults/people.ts';
import { recurrenceFaults } from './faults/recurrence.ts';
import { seriesFaults } from './faults/series.ts';
import { sessionFaults } from './faults/sessions.ts';
import { telemetryFaults } from './faults/telemetry.ts';
import { textMessageFaults } from './faults/text-messages.ts';
import { textFaults } from './faults/texts.ts';

export const faults: Fault[] = [
  ...claimFaults,
  ...attendanceFaults,
  ...peopleFaults,
  ...accessFaults,
  ...endpointFaults,
  ...seriesFaults,
  ...recurrenceFaults,
  ...sessionFaults,
  ...openIdConnectFaults,
  ...textMessageFaults,
  ...cacheFaults,
  ...limitFaults,
  ...mailFaults,
  ...announcementFaults,
  ...doctorFaults,
  ...backupFaults,
  ...instanceFaults,
  ...importFaults,
  ...telemetryFaults,
  ...textFaults,
];

/** Faults that no response shows, because a second mechanism has the same result. */
export const equivalents: Equivalent[] = [
  {
    file: 'src/modules/items/claims/apply.ts',
    text: 'left: move.item.left - move.by',
    fault: 'left: move.item.left',
    reason: 'The constraint never_oversold aborts the batch, and its claims are repeated one at a time.',
  },
  {
    file: 'src/modules/attendance/bookings/apply.ts',
    text: '[...commands.filter((each) => !isLast(each)), ...commands.filter(isLast)]',
    fault: '[...commands.filter(isLast), ...commands.filter((each) => !isLast(each))]',
    reason: 'Commands of a batch have no order. The counted waitlist keeps its seats in both orders.',
  },
];
