import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { body as bodySchema, nullable, oneOf } from '../../http/schemas.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import type { AttendanceServices } from './services.ts';

const statuses = ['going', 'interested'] as const;

const NewRsvp = bodySchema(
  { status: nullable(oneOf(statuses), { description: 'Null removes the RSVP.' }) },
  { examples: [{ status: 'going' }] },
);
const RsvpResult = Type.Object({ myRsvp: nullable(oneOf(statuses)), rsvpCount: Type.Integer() });

/** Sets or removes the caller's RSVP (specification 4.12). */
export const setRsvp = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/rsvp',
  operationId: 'setRsvp',
  tag: 'Events',
  summary: 'Set or remove your RSVP',
  description: 'Leaving `going` does not end claims; give them back individually.',
  access: 'required',
  verifiesCaller: true,
  params: EventParams,
  body: NewRsvp,
  response: { 200: RsvpResult },
  problems: ['event_not_found', 'event_cancelled'],

  async handler({ caller, params, body }, { rsvps }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { status } = body;
    const rsvpCount = await rsvps.apply({ eventId, caller, status });
    return { status: 200, body: { myRsvp: status, rsvpCount } };
  },
});
