import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { body as bodySchema, named, nullable, oneOf, prose } from '../../../http/schemas.ts';
import type { UnlockedCaller } from '../../../identity/caller.ts';
import { invalid } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { requestStatuses, rsvpStatuses } from '../../events/repo.ts';
import { EventParams } from '../../events/schemas.ts';
import { askFields, readAsk } from '../requests/schemas.ts';
import type { AttendanceServices } from '../services.ts';
import { rsvpFields } from './schemas.ts';

const NewRsvp = bodySchema(
  {
    status: nullable(oneOf([...rsvpStatuses, 'declined']), {
      description:
        'Null removes the RSVP, and withdraws a request. `declined`: for accounts that were invited by their ids; it ends the RSVP, the claims, and the ' +
        'booking or place in the waitlist.',
    }),
    reply: Type.Optional(prose(300, { description: 'For the organizer, with `declined`.' })),
    ...rsvpFields,
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

/** A service of the module of answers by invitations, which is above this one: claims end with the RSVP. */
export type Declining = {
  /**
   * Declines the invitation of an account by its id.
   * @returns the number of RSVPs of the event
   * @throws Problem `event_not_found`, `not_invited`
   */
  declineInvitation(caller: UnlockedCaller, eventId: string, reply: string | null): Promise<number>;
};

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
    'not_invited',
    'removed_from_event',
    'event_cancelled',
    'rsvp_closed',
    'approval_required',
    'request_refused',
  ],

  async handler({ caller, params, body }, { rsvps, declineInvitation }: AttendanceServices & Declining) {
    const { status, extraGuests = null, isHidden = null, reply } = body;
    if (reply !== undefined && status !== 'declined') throw invalid('reply', 'needs the status declined');
    const eventId = readId(params.id, 'event_not_found');
    if (status === 'declined') {
      const rsvpCount = await declineInvitation(caller, eventId, reply ?? null);
      return { status: 200, body: { myRsvp: null, rsvpCount, myRequest: null } };
    }
    const command = { eventId, caller, status, extraGuests, isHidden, ask: readAsk(body) };
    return { status: 200, body: await rsvps.apply(command) };
  },
});
