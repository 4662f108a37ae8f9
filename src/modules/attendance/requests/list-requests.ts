import type { Static } from 'typebox';
import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { Caller } from '../../../identity/caller.ts';
import { readId } from '../../../lib/ids.ts';
import { requireOrganizer } from '../../events/policy.ts';
import { EventParams, SeriesParams } from '../../events/schemas.ts';
import { findOwnSeries } from '../../events/series/visible-series.ts';
import { listShownPeople } from '../../events/shown-people.ts';
import { requireVisibleEvent } from '../../events/visible-event.ts';
import type { AttendanceServices } from '../services.ts';
import { toJoinRequest } from './present.ts';
import { listRequests as findRequests } from './repo.ts';
import { type JoinRequest, JoinRequestList, JoinRequestQuery } from './schemas.ts';

const common = {
  method: 'GET',
  caller: 'fresh',
  query: JoinRequestQuery,
  response: { 200: JoinRequestList },
} as const;

export const listRequests = defineEndpoint({
  ...common,
  path: '/v1/events/:id/requests',
  tag: 'Events',
  summary: 'List the requests to join an event',
  description:
    'For the organizer of the event and admins: pending and refused requests, the oldest first. Those of suspended people are left out.',
  params: EventParams,
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const event = await requireVisibleEvent(services, eventId, caller);
    requireOrganizer(event.row, caller);
    return { status: 200, body: await listPage(services, eventId, caller, query) };
  },
});

export const listSeriesRequests = defineEndpoint({
  ...common,
  path: '/v1/series/:id/requests',
  tag: 'Series',
  summary: 'List the requests to join all dates of a series',
  description: 'For the organizer of the series and admins, as the requests to join an event.',
  params: SeriesParams,
  problems: ['series_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: AttendanceServices) {
    const { id } = await findOwnSeries(services.db, readId(params.id, 'series_not_found'), caller);
    return { status: 200, body: await listPage(services, id, caller, query) };
  },
});

async function listPage(
  { db, config }: AttendanceServices,
  subjectId: string,
  caller: Caller,
  { status, limit, cursor }: Static<typeof JoinRequestQuery>,
): Promise<Static<typeof JoinRequestList>> {
  const [at, userId] = readCursor(cursor, 'time', 'id') ?? [];
  const after = at && userId ? { at, userId } : null;
  const found = await findRequests(db, subjectId, { status, after, limit: limit + 1 });
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
  return { data, nextCursor };
}
