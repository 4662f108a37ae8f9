import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { body as bodySchema, named, nullable, oneOf } from '../../../http/schemas.ts';
import { readId } from '../../../lib/ids.ts';
import { requestStatuses, rsvpStatuses } from '../../events/repo.ts';
import { EventParams } from '../../events/schemas.ts';
import { askFields, readAsk } from '../requests/schemas.ts';
import type { AttendanceServices } from '../services.ts';

const NewRsvp = bodySchema(
  {
    status: nullable(oneOf(rsvpStatuses), { description: 'Null removes the RSVP, and withdraws a request.' }),
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
    ...askFields,
  },
  { examples: [{ status: 'going', extraGuests: 2 }] },
);
const RsvpResult = named(
  'RsvpState',
  Type.Object({
    myRsvp: nullable(oneOf(rsvpStatuses)),
    rsvpCount: Type.Integer(),
    myRequest: nullable(oneOf(requestStatuses), {
      description: 'The request to join, where the organizer approves guests.',
    }),
  }),
);

export const setRsvp = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/events/:id/rsvp',
  tag: 'Events',
  summary: 'Set or remove your RSVP',
  description:
    'Also possible after the event has ended, to record who came. Leaving `going` does not end claims; give them back individually. The record of the event has the number of ' +
    'people who come (`partyCount`) and the other fields of the RSVP (`myExtraGuests`, `isRsvpHidden`). Where ' +
    '`rsvpApproval` is `organizer`, people without an invitation or approval ask to join: the same body with `ask`.',
  caller: 'lockedByWrite',
  session: { guests: 'ofEvent' },
  params: EventParams,
  body: NewRsvp,
  response: { 200: RsvpResult },
  problems: [
    'event_not_found',
    'removed_from_event',
    'event_cancelled',
    'rsvp_closed',
    'approval_required',
    'request_refused',
  ],

  async handler({ caller, params, body }, { rsvps }: AttendanceServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { status, extraGuests = null, isHidden = null } = body;
    const command = { eventId, caller, status, extraGuests, isHidden, ask: readAsk(body) };
    return { status: 200, body: await rsvps.apply(command) };
  },
});
