import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { body as bodySchema, named, nullable, oneOf } from '../../../http/schemas.ts';
import { readId } from '../../../lib/ids.ts';
import { rsvpStatuses } from '../../events/repo.ts';
import { EventParams } from '../../events/schemas.ts';
import type { AttendanceServices } from '../services.ts';

const NewRsvp = bodySchema(
  {
    status: nullable(oneOf(rsvpStatuses), { description: 'Null removes the RSVP.' }),
    extraGuests: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description:
          'People whom the caller brings. If left out, it does not change; 0 for a new RSVP. They count in ' +
          '`partyCount` while the status is `going`.',
        examples: [2],
      }),
    ),
    isHidden: Type.Optional(
      Type.Boolean({
        description:
          'Whether the RSVP is hidden from other people: from the guest list, from their feeds and from the ' +
          'claims of the items. The organizer and admins still see it. If left out, it does not change; false ' +
          'for a new RSVP.',
        examples: [false],
      }),
    ),
  },
  { examples: [{ status: 'going', extraGuests: 2 }] },
);
const RsvpResult = named(
  'RsvpState',
  Type.Object({ myRsvp: nullable(oneOf(rsvpStatuses)), rsvpCount: Type.Integer() }),
);

export const setRsvp = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/events/:id/rsvp',
  tag: 'Events',
  summary: 'Set or remove your RSVP',
  description:
    'Also possible after the event has ended, to record who came. Leaving `going` does not end claims; give them back individually. The record of the event has the number of ' +
    'people who come (`partyCount`) and the other fields of the RSVP (`myExtraGuests`, `isRsvpHidden`).',
  caller: 'lockedByWrite',
  session: { guests: 'ofEvent' },
  params: EventParams,
  body: NewRsvp,
  response: { 200: RsvpResult },
  problems: ['event_not_found', 'removed_from_event', 'event_cancelled'],

  async handler({ caller, params, body }, { rsvps }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { status, extraGuests = null, isHidden = null } = body;
    const rsvpCount = await rsvps.apply({ eventId, caller, status, extraGuests, isHidden });
    return { status: 200, body: { myRsvp: status, rsvpCount } };
  },
});
