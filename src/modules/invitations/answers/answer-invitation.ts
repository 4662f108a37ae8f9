import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { toEvent } from '../../events/present.ts';
import { requireClaims } from '../../guests/answers.ts';
import { toPerson } from '../../people/present.ts';
import { InvitationHeaders, requireOpenInvitation } from '../open-invitation.ts';
import { type InvitationRow, isForMany } from '../repo.ts';
import { answerAsAccount } from './answer-as-account.ts';
import { answerWithoutAccount } from './answer-without-account.ts';
import type { GivenAnswer } from './given-answer.ts';
import { InvitationAnswer, InvitationAnswered, LinkInvitation } from './schemas.ts';
import type { AnswerServices } from './services.ts';

const common = {
  caller: 'optional',
  session: { guests: 'ignored' },
  headers: InvitationHeaders,
} as const;

export const getLinkInvitation = defineEndpoint({
  ...common,
  method: 'GET',
  path: '/v1/invitation',
  summary: 'Read the invitation of a link',
  description:
    'What the page of the link `BASE/i/TOKEN` shows. `event` is the record as an invited person reads it. Reading changes nothing, ' +
    'signs nobody in and shows no contact. 404 `invitation_not_found` without the header, and for a link that is wrong, withdrawn or ' +
    'expired, of a deleted event, or of a suspended person.',
  response: { 200: LinkInvitation },
  problems: ['invitation_not_found'],

  async handler({ caller, request }, services: AnswerServices) {
    const { people, viewerStates, config } = services;
    const { invitation, event } = await requireOpenInvitation(services, request);
    const [inviter, organizer, viewerState] = await Promise.all([
      people.find(invitation.inviterId),
      people.find(event.row.organizerId),
      caller && viewerStates.find({ eventId: event.row.id, userId: caller.id }),
    ]);
    if (!inviter || !organizer) throw new Problem('invitation_not_found');
    const { name, status, extraGuests, reply, message, maxUses } = invitation;
    const viewer = { viewerState, isOrganizer: false };
    return {
      status: 200,
      body: {
        event: toEvent(event.row, organizer, viewer, config.publicUrl),
        invitedBy: toPerson(inviter, config.publicUrl),
        ...{ name, status, extraGuests, reply, message, maxUses },
        ...(invitation.isOfSeries && { seriesId: invitation.subjectId }),
      },
    };
  },
});

/** The problems of every answer by an invitation. */
export const answerProblems = [
  'invitation_not_found',
  'removed_from_event',
  'not_invited',
  'feature_disabled',
  'invitation_used',
  'event_cancelled',
  'event_over',
  'rsvp_closed',
] as const;

/** @throws Problem `invalid_request` by the rules of claims */
export function readAnswer(given: InvitationAnswer): GivenAnswer {
  const { status, name = null, extraGuests = null, reply = null } = given;
  return { status, name, extraGuests, reply, claims: requireClaims(given, status), ask: null };
}

/** @throws Problem `invalid_request` for claims by an invitation to a series */
export function requireEventFor({ isOfSeries }: InvitationRow, { claims }: GivenAnswer): void {
  if (isOfSeries && claims.length > 0)
    throw invalid('claims', 'need an event: the invitation is to a series');
}

export const answerLinkInvitation = defineEndpoint({
  ...common,
  method: 'POST',
  path: '/v1/invitation/answer',
  retry: 'idempotent',
  uncached: true,
  summary: 'Answer by the link of an invitation',
  description:
    'A link of one person, without a token: its own guest answers, made at the first answer that does not decline (`guestToken`). ' +
    'With the token of an account that has confirmed the contact of the invitation, or if the invitation has none and nobody has ' +
    'answered, the account answers, and the invitation becomes its own: 409 `invitation_used` for all others. A link for many needs ' +
    'the token of an account; guests answer with POST /v1/events/{id}/guest-rsvp and the header. Each person whose first answer by it ' +
    'is `going` or `interested` is a use: 409 `link_used_up`. A guest token does not count here.\n\n' +
    'By an invitation to a series, the answer is the RSVP to all its dates. It needs the token of an account.\n\n' +
    '400 at `name` if neither the invitation nor the request has one for a new guest.',
  body: InvitationAnswer,
  response: { 200: InvitationAnswered },
  problems: [...answerProblems, 'token_missing', 'link_used_up'],

  async handler({ caller, body, request, idempotency }, services: AnswerServices) {
    const answer = readAnswer(body);
    const { invitation } = await requireOpenInvitation(services, request);
    requireEventFor(invitation, answer);
    if (!caller && (isForMany(invitation) || invitation.isOfSeries)) throw new Problem('token_missing');
    if (caller) return answerAsAccount(services, caller, invitation, answer, idempotency);
    const outcome = await answerWithoutAccount(services, { request, idempotency }, invitation, answer);
    return 'json' in outcome ? outcome : { status: 200, body: outcome };
  },
});
