import { unlessLate } from '#fresh-records';
import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { readId } from '../../../lib/ids.ts';
import { requireOrganizer } from '../../events/policy.ts';
import { EventParams } from '../../events/schemas.ts';
import { requireVisibleEvent } from '../../events/visible-event.ts';
import { toPerson } from '../../people/present.ts';
import type { AttendanceServices } from '../services.ts';
import { listBookings as findBookings } from './repo.ts';
import { BookingList, BookingListQuery } from './schemas.ts';

export const listBookings = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/bookings',
  summary: 'List the bookings and the waitlist of an event',
  description:
    'For the organizer of the event and admins, in the order in which people booked or joined the waitlist.',
  caller: 'fresh',
  params: EventParams,
  query: BookingListQuery,
  response: { 200: BookingList },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: AttendanceServices) {
    const { db, people, config } = services;
    const id = readId(params.id, 'event_not_found');
    const { status, limit, cursor } = query;
    const [after] = readCursor(cursor, 'number') ?? [0];
    const event = await requireVisibleEvent(services, id, caller);
    requireOrganizer(event.row, caller);
    const found = await findBookings(db, id, { status, after, limit });
    const { rows, nextCursor } = toPage(found, limit, ({ n }) => [n]);
    const persons = await Promise.all(rows.map(({ userId }) => unlessLate(people.find(userId))));
    // Bookings of accounts that were deleted in the meantime are left out.
    const data = rows.flatMap((row, i) => {
      const person = persons[i];
      return person ? [{ ...row, user: toPerson(person, config.publicUrl) }] : [];
    });
    return { status: 200, body: { data, nextCursor } };
  },
});
