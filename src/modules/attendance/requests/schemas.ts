import { type Static, Type } from 'typebox';
import { cursorPage, cursorQuery } from '../../../http/cursors.ts';
import { body, named, nullable, oneOf, prose, ref, timestamp } from '../../../http/schemas.ts';
import { requestStatuses, rsvpStatuses } from '../../events/repo.ts';
import { Person } from '../../people/schemas.ts';
import type { RsvpCommand } from '../rsvps/policy.ts';

/** What an answer has for an event whose organizer approves guests. */
export const askFields = {
  ask: Type.Optional(
    Type.Boolean({
      description:
        'Asks to join if the RSVP needs the approval of the organizer: `myRsvp` stays as it is. Otherwise without effect.',
      examples: [true],
    }),
  ),
  message: Type.Optional(
    prose(300, { description: 'For the organizer, with `ask`.', examples: ['I am a friend of Ana.'] }),
  ),
};

type Ask = { ask?: boolean; message?: string };
/** What an answer asks for; null for an answer that does not ask. A message without a visible character is none. */
export const readAsk = ({ ask = false, message = '' }: Ask): RsvpCommand['ask'] =>
  ask ? { message: message.trim() === '' ? null : message } : null;

const common = {
  user: ref(Person),
  answer: oneOf(rsvpStatuses, { description: 'The RSVP that the person asks for.' }),
  extraGuests: Type.Integer({ examples: [1], description: 'People whom the person brings.' }),
  message: nullable(Type.String({ examples: ['I am a friend of Ana.'] })),
  createdAt: timestamp(),
};

export const JoinRequest = named('JoinRequest', Type.Object({ ...common, status: oneOf(requestStatuses) }));
export type JoinRequest = Static<typeof JoinRequest>;
export const JoinRequestQuery = Type.Object({
  status: Type.Optional(oneOf(requestStatuses, { description: 'Default: both.' })),
  ...cursorQuery,
});
export const JoinRequestList = cursorPage(JoinRequest);

const decision = oneOf(['approved', 'refused'], { examples: ['approved'] });
export const JoinDecision = body({ status: decision }, { examples: [{ status: 'approved' }] });
export const DecidedRequest = named('DecidedJoinRequest', Type.Object({ ...common, status: decision }));
export type DecidedRequest = Static<typeof DecidedRequest>;
