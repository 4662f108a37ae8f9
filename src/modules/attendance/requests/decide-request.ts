import { Type } from 'typebox';
import { recordChange } from '#fresh-records';
import type { Transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { findOwnEvent } from '../../events/require-own-event.ts';
import { EventParams, SeriesParams } from '../../events/schemas.ts';
import { requireOwnSeries } from '../../events/series/visible-series.ts';
import { requireNotRemoved } from '../../events/standings.ts';
import { listPeople } from '../../people/repo.ts';
import { lockRsvpEvents } from '../rsvps/repo.ts';
import { decideSeriesRequestIn } from '../series/decide-request.ts';
import type { AttendanceServices } from '../services.ts';
import { decideRequest as decide } from './policy.ts';
import { toJoinRequest } from './present.ts';
import { findRequests, type RequestRow } from './repo.ts';
import { DecidedRequest, JoinDecision } from './schemas.ts';
import { writeDecisions } from './write-decisions.ts';

const common = {
  method: 'PUT',
  caller: 'fresh',
  body: JoinDecision,
  response: { 200: DecidedRequest },
} as const;
const userId = { userId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }) };
const problems = ['not_organizer', 'request_not_found', 'removed_from_event', 'event_cancelled'] as const;

export const decideRequest = defineEndpoint({
  ...common,
  path: '/v1/events/:id/requests/:userId',
  tag: 'Events',
  summary: 'Approve or refuse a request to join',
  description:
    'For the organizer and admins. An approval makes the RSVP that the person asked for, also after `rsvpUntil` and after a refusal. ' +
    'Repeated, it changes nothing. Who was approved can be removed from the event, and not be refused. Who was removed is invited to come again, and not approved.',
  params: Type.Object({ ...EventParams.properties, ...userId }),
  problems: ['event_not_found', ...problems],

  async handler({ caller, params, body }, services: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { status } = body;
    return await decideOne(services, caller, status, params.userId, async (tx, organizer, userId, now) => {
      const event = await findOwnEvent(tx, eventId, organizer);
      return decideIn(tx, event, { userId: userId(), status, now });
    });
  },
});

export const decideSeriesRequest = defineEndpoint({
  ...common,
  path: '/v1/series/:id/requests/:userId',
  tag: 'Series',
  summary: 'Approve or refuse a request to join all dates of a series',
  description:
    'For the organizer and admins. An approval makes the RSVP to the series that the person asked for, with RSVPs to its coming dates, ' +
    'also after `rsvpUntil`. Otherwise as a request to join an event.',
  params: Type.Object({ ...SeriesParams.properties, ...userId }),
  problems: ['series_not_found', ...problems],

  async handler({ caller, params, body }, services: AttendanceServices) {
    const id = readId(params.id, 'series_not_found');
    const { status } = body;
    return await decideOne(services, caller, status, params.userId, async (tx, organizer, userId, now) => {
      const series = await requireOwnSeries(tx, id, organizer);
      return decideSeriesRequestIn(tx, services, series, { userId: userId(), status, now });
    });
  },
});

/** @param decideIn decides in the transaction; `userId` throws the Problem `request_not_found` for what is no id */
async function decideOne(
  { db, clock, config }: AttendanceServices,
  caller: Caller,
  status: 'approved' | 'refused',
  id: string,
  decideIn: (tx: Transaction, organizer: Caller, userId: () => string, now: Date) => Promise<RequestRow>,
) {
  const userId = () => readId(id, 'request_not_found');
  const request = await actAs(db, caller, (tx, organizer) => decideIn(tx, organizer, userId, clock()));
  const [person] = await listPeople(db, [request.userId]);
  if (!person) throw new Problem('request_not_found');
  return { status: 200 as const, body: { ...toJoinRequest(request, person, config.publicUrl), status } };
}

/**
 * No RSVP and no request changes until the transaction ends: of an approval and a withdrawal, or of two decisions, the second sees
 * the first.
 */
async function decideIn(
  tx: Transaction,
  { id, title }: { id: string; title: string },
  { userId, status, now }: { userId: string; status: 'approved' | 'refused'; now: Date },
): Promise<RequestRow> {
  const event = (await lockRsvpEvents(tx, [id], true)).get(id);
  if (!event) throw new Problem('event_not_found');
  const [request] = await findRequests(tx, id, [userId]);
  const changes = decide(status, event, request ?? null);
  if (changes instanceof Problem) throw changes;
  if (!request) throw new Problem('request_not_found');
  if (!changes) return request;
  // An account that has confirmed the contact of a removed guest since it asked.
  if (status === 'approved') await requireNotRemoved(tx, { eventId: id, userId });
  const records = await writeDecisions(tx, status, { event, title, requests: [request] }, now);
  if (records.length > 0) await recordChange(tx, { records });
  return request;
}
