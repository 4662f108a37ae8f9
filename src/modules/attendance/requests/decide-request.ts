import { Type } from 'typebox';
import { recordChange } from '#fresh-records';
import type { Transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { findOwnEvent } from '../../events/require-own-event.ts';
import { EventParams } from '../../events/schemas.ts';
import { requireNotRemoved } from '../../events/standings.ts';
import { listPeople } from '../../people/repo.ts';
import { lockRsvpEvents } from '../rsvps/repo.ts';
import type { AttendanceServices } from '../services.ts';
import { decideRequest as decide } from './policy.ts';
import { toJoinRequest } from './present.ts';
import { findRequests, type RequestRow } from './repo.ts';
import { DecidedRequest, JoinDecision } from './schemas.ts';
import { writeDecisions } from './write-decisions.ts';

export const decideRequest = defineEndpoint({
  method: 'PUT',
  path: '/v1/events/:id/requests/:userId',
  tag: 'Events',
  summary: 'Approve or refuse a request to join',
  description:
    'For the organizer and admins. An approval makes the RSVP that the person asked for, also after `rsvpUntil` and after a refusal. ' +
    'Repeated, it changes nothing. Who was approved can be removed from the event, and not be refused. Who was removed is invited to come again, and not approved.',
  caller: 'fresh',
  params: Type.Object({
    ...EventParams.properties,
    userId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
  }),
  body: JoinDecision,
  response: { 200: DecidedRequest },
  problems: [
    'event_not_found',
    'not_organizer',
    'request_not_found',
    'removed_from_event',
    'event_cancelled',
  ],

  async handler({ caller, params, body }, { db, clock, config }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { status } = body;
    const { request, person } = await actAs(db, caller, async (tx, organizer) => {
      const event = await findOwnEvent(tx, eventId, organizer);
      const userId = readId(params.userId, 'request_not_found');
      const [person] = await listPeople(tx, [userId]);
      return { request: await decideIn(tx, event, { userId, status, now: clock() }), person };
    });
    if (!person) throw new Problem('request_not_found');
    return { status: 200, body: { ...toJoinRequest(request, person, config.publicUrl), status } };
  },
});

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
