import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { belongsToAudience, isOrganizer } from '../../events/audience.ts';
import type { Rsvp } from '../../events/repo.ts';
import { EventParams } from '../../events/schemas.ts';
import { requireVisibleEvent } from '../../events/visible-event.ts';
import { toFoundUser } from '../../people/present.ts';
import type { AttendanceServices } from '../services.ts';
import { listGuests as findGuests, type GuestRow } from './repo.ts';
import { type Guest, GuestList, GuestListQuery } from './schemas.ts';

export const listGuests = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/guests',
  tag: 'Events',
  summary: 'List the guests of an event',
  description:
    'People with an RSVP: those who are going, then those who are interested, each by the age of their accounts. ' +
    '`guestListVisibility` of the event decides who may list them. Guests who hid their RSVP, people with a private ' +
    'profile that the caller may not see, and people between whom and the caller there is a block are left out, ' +
    'except for the organizer and admins. Suspended people are always left out. The counts of the event include all.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  params: EventParams,
  query: GuestListQuery,
  response: { 200: GuestList },
  compressed: 'text',
  problems: ['event_not_found', 'guest_list_private'],

  async handler({ caller, params, query }, services: AttendanceServices) {
    const { db, isGuest, config } = services;
    const eventId = readId(params.id, 'event_not_found');
    const { status, cursor, limit } = query;
    const after = readPosition(cursor);
    const event = await requireVisibleEvent(services, eventId, caller);
    if (!(await belongsToAudience(event.row.guestListVisibility, event.row, caller, isGuest)))
      throw new Problem('guest_list_private');
    const seesAll = isOrganizer(event.row, caller);
    const found = await findGuests(db, { eventId, viewer: caller, seesAll, status, after, limit: limit + 1 });
    const { rows, nextCursor } = toPage(found, limit, (row) => [order.indexOf(row.status), row.id]);
    return { status: 200, body: { data: rows.map((row) => toGuest(row, config.publicUrl)), nextCursor } };
  },
});

/** The statuses in the order of the list. */
const order: Rsvp[] = ['going', 'interested'];

/** @throws Problem `invalid_request` for field `cursor` */
function readPosition(cursor: string | undefined): { status: Rsvp; id: string } | null {
  const position = readCursor(cursor, 'number', 'id');
  return position && { status: position[0] === 0 ? 'going' : 'interested', id: position[1] };
}

/** The element of the list. */
export const toGuest = (row: GuestRow, publicUrl: string): Guest => ({
  ...row,
  user: toFoundUser(row, publicUrl),
});
