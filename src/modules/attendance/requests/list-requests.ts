import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { readId } from '../../../lib/ids.ts';
import { requireOrganizer } from '../../events/policy.ts';
import { EventParams } from '../../events/schemas.ts';
import { listShownPeople } from '../../events/shown-people.ts';
import { requireVisibleEvent } from '../../events/visible-event.ts';
import type { AttendanceServices } from '../services.ts';
import { toJoinRequest } from './present.ts';
import { listRequests as findRequests } from './repo.ts';
import { type JoinRequest, JoinRequestList, JoinRequestQuery } from './schemas.ts';

export const listRequests = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/requests',
  tag: 'Events',
  summary: 'List the requests to join an event',
  description:
    'For the organizer of the event and admins: pending and refused requests, the oldest first. Those of suspended people are left out.',
  caller: 'fresh',
  params: EventParams,
  query: JoinRequestQuery,
  response: { 200: JoinRequestList },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: AttendanceServices) {
    const { db, config } = services;
    const eventId = readId(params.id, 'event_not_found');
    const { status, limit, cursor } = query;
    const [at, userId] = readCursor(cursor, 'time', 'id') ?? [];
    const event = await requireVisibleEvent(services, eventId, caller);
    requireOrganizer(event.row, caller);
    const after = at && userId ? { at, userId } : null;
    const found = await findRequests(db, eventId, { status, after, limit: limit + 1 });
    const { rows, nextCursor } = toPage(found, limit, (row) => [row.createdAt.toISOString(), row.userId]);
    const people = await listShownPeople(
      db,
      { id: caller.id, seesAll: true },
      rows.map((row) => ({ userId: row.userId, isHidden: null })),
    );
    const data = rows.flatMap((row): JoinRequest[] => {
      const person = people.get(row.userId);
      const { status } = row;
      return person && status !== 'approved'
        ? [{ ...toJoinRequest(row, person, config.publicUrl), status }]
        : [];
    });
    return { status: 200, body: { data, nextCursor } };
  },
});
